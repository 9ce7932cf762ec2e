<?php
// PHP's fibers. program.go tells what is asked of a program.

declare(strict_types=1);

function answer(string $what): void
{
    echo "bench answer: $what\n";
}

/** Goes round $count fibers; each visit is two switches, there and back. */
function turns(int $count, int $n): void
{
    $ring = [];
    for ($i = 0; $i < $count; $i++) {
        $fiber = new Fiber(function (): void {
            while (true) {
                Fiber::suspend();
            }
        });
        $fiber->start();
        $ring[] = $fiber;
    }
    $laps = intdiv($n + 2 * $count - 1, 2 * $count);
    $start = hrtime(true);
    for ($lap = 0; $lap < $laps; $lap++) {
        foreach ($ring as $fiber) {
            $fiber->resume();
        }
    }
    answer(2 * $laps * $count . ' ' . (hrtime(true) - $start));
}

function spawn(int $batch, int $n): void
{
    $ended = 0;
    $body = function () use (&$ended): void {
        $ended++;
    };
    $start = hrtime(true);
    for ($did = 0; $did < $n; $did += $batch) {
        $made = [];
        for ($i = 0; $i < $batch; $i++) {
            $made[] = new Fiber($body);
        }
        foreach ($made as $fiber) {
            $fiber->start();
        }
    }
    answer($ended . ' ' . (hrtime(true) - $start));
}

while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', trim($line));
    match ($words[0]) {
        'version' => answer('PHP ' . PHP_VERSION),
        'switch' => turns((int) $words[1], (int) $words[2]),
        'spawn' => spawn((int) $words[1], (int) $words[2]),
    };
}
