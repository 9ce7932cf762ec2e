// Fibers of Boost.Context. program.go tells what is asked of a program.
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <boost/version.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using boost::context::fiber;
using watch = std::chrono::steady_clock;

// The stacks are kept, as this library keeps its own.
static boost::context::pooled_fixedsize_stack stacks;

static void report(long did, watch::time_point start) {
	auto took = std::chrono::nanoseconds(watch::now() - start).count();
	std::cout << "bench answer: " << did << ' ' << took << std::endl;
}

static fiber endless() {
	return fiber(std::allocator_arg, stacks, [](fiber &&back) {
		for (;;)
			back = std::move(back).resume();
		return std::move(back);
	});
}

// turns goes round count fibers; each visit is two switches, there and back.
static void turns(long count, long n) {
	std::vector<fiber> ring;
	for (long i = 0; i < count; i++)
		ring.push_back(endless().resume());
	long laps = (n + 2 * count - 1) / (2 * count);
	auto start = watch::now();
	for (long lap = 0; lap < laps; lap++)
		for (auto &f : ring)
			f = std::move(f).resume();
	report(2 * laps * count, start);
}

static void spawn(long batch, long n) {
	std::vector<fiber> made;
	made.reserve(batch);
	long did = 0, ended = 0;
	auto start = watch::now();
	for (; did < n; did += batch) {
		for (long i = 0; i < batch; i++)
			made.emplace_back(std::allocator_arg, stacks, [&ended](fiber &&back) {
				ended++;
				return std::move(back);
			});
		for (auto &f : made)
			f = std::move(f).resume();
		made.clear();
	}
	report(ended, start);
}

int main() {
	std::string what;
	while (std::cin >> what) {
		long count, n;
		if (what == "version") {
			std::cout << "bench answer: Boost.Context " << BOOST_LIB_VERSION << " (c++ " << __VERSION__ << ")" << std::endl;
			continue;
		}
		std::cin >> count >> n;
		if (what == "switch")
			turns(count, n);
		else if (what == "spawn")
			spawn(count, n);
		else
			return 1;
	}
}
