// Node's async functions and sockets. program.go tells what is asked of a program.
'use strict';

const net = require('node:net');
const readline = require('node:readline');
const { setImmediate: immediate } = require('node:timers/promises');

const answer = (what) => process.stdout.write(`bench answer: ${what}\n`);

// timed answers with what work says it did, and how long that took.
async function timed(work) {
	const start = process.hrtime.bigint();
	const did = await work();
	answer(`${did} ${process.hrtime.bigint() - start}`);
}

// turns has count async functions await, in turn.
async function turns(wait, count, n) {
	const laps = Math.ceil(n / count);
	await timed(async () => {
		await Promise.all(Array.from({ length: count }, () => wait(laps)));
		return laps * count;
	});
}

async function microtasks(laps) {
	for (let i = 0; i < laps; i++) await null;
}

async function immediates(laps) {
	for (let i = 0; i < laps; i++) await immediate();
}

async function spawn(batch, n) {
	let ended = 0;
	const body = async () => { ended++; };
	await timed(async () => {
		for (let did = 0; did < n; did += batch) {
			const made = [];
			for (let i = 0; i < batch; i++) made.push(body());
			await Promise.all(made);
		}
		return ended;
	});
}

function serve() {
	const server = net.createServer({ noDelay: true }, (socket) => {
		socket.on('data', (data) => socket.write(data));
		socket.on('error', () => socket.destroy());
	});
	server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
		answer(`127.0.0.1:${server.address().port}`);
	});
	process.stdin.on('end', () => process.exit()).resume();
}

async function play() {
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const [what, count, n] = line.split(' ');
		switch (what) {
		case 'version': answer(`Node ${process.version}`); break;
		case 'switch': await turns(microtasks, Number(count), Number(n)); break;
		case 'switch-immediate': await turns(immediates, Number(count), Number(n)); break;
		case 'spawn': await spawn(Number(count), Number(n)); break;
		default: throw new Error(`no request ${what}`);
		}
	}
}

if (process.argv[2] === 'echo') serve();
else play();
