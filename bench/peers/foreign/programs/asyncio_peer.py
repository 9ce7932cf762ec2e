"""asyncio's tasks and sockets. program.go tells what is asked of a program."""

import asyncio
import os
import platform
import sys
import time


def answer(what):
    print(f"bench answer: {what}", flush=True)


async def turns(count, n):
    """Has count tasks give way to each other."""
    laps = -(-n // count)

    async def turn():
        for _ in range(laps):
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(turn()) for _ in range(count)]
    start = time.perf_counter_ns()
    await asyncio.gather(*tasks)
    answer(f"{laps * count} {time.perf_counter_ns() - start}")


async def spawn(batch, n):
    ended = 0

    async def body():
        nonlocal ended
        ended += 1

    start = time.perf_counter_ns()
    for _ in range(0, n, batch):
        await asyncio.gather(*[asyncio.create_task(body()) for _ in range(batch)])
    answer(f"{ended} {time.perf_counter_ns() - start}")


class Echo(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.transport.write(data)


def echo_stream(size):
    async def echo(reader, writer):
        try:
            while data := await reader.read(size):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    return echo


async def serve(api, size):
    where = {"host": "127.0.0.1", "port": 0, "backlog": 4096}
    loop = asyncio.get_running_loop()
    if api == "protocol":
        server = await loop.create_server(Echo, **where)
    else:
        server = await asyncio.start_server(echo_stream(size), **where)
    host, port = server.sockets[0].getsockname()
    answer(f"{host}:{port}")
    loop.add_reader(0, lambda: os.read(0, 4096) or os._exit(0))
    await server.serve_forever()


def play():
    for line in sys.stdin:
        match line.split():
            case ["version"]:
                answer(f"CPython {platform.python_version()}")
            case ["switch", count, n]:
                asyncio.run(turns(int(count), int(n)))
            case ["spawn", batch, n]:
                asyncio.run(spawn(int(batch), int(n)))
            case request:
                sys.exit(f"no request {request}")


if len(sys.argv) > 1:
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
else:
    play()
