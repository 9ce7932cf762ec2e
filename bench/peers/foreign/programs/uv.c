/* An echo server on libuv. program.go tells what is asked of a program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static char *room; /* what is read goes out before the next read */
static size_t room_size;

static void check(int status, const char *doing) {
	if (status < 0) {
		fprintf(stderr, "libuv: %s: %s\n", doing, uv_strerror(status));
		exit(1);
	}
}

static void *allocate(size_t size) {
	void *p = malloc(size);
	if (p == NULL)
		check(UV_ENOMEM, "malloc");
	return p;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf) {
	(void)handle, (void)suggested;
	*buf = uv_buf_init(room, room_size);
}

static void on_closed(uv_handle_t *handle) { free(handle); }

/* The request and the bytes that the kernel had no room for, in one piece. */
struct pending {
	uv_write_t request;
	char bytes[];
};

static void on_written(uv_write_t *request, int status) {
	(void)status; /* the read notices */
	free(request);
}

static void write_rest(uv_stream_t *client, const char *bytes, size_t size) {
	struct pending *rest = allocate(sizeof *rest + size);
	memcpy(rest->bytes, bytes, size);
	uv_buf_t buf = uv_buf_init(rest->bytes, size);
	check(uv_write(&rest->request, client, &buf, 1, on_written), "write");
}

static void on_read(uv_stream_t *client, ssize_t n, const uv_buf_t *buf) {
	if (n < 0) {
		uv_close((uv_handle_t *)client, on_closed);
		return;
	}
	if (n == 0)
		return;
	uv_buf_t out = uv_buf_init(buf->base, n);
	int written = uv_try_write(client, &out, 1);
	if (written == UV_EAGAIN)
		written = 0;
	if (written < 0)
		uv_close((uv_handle_t *)client, on_closed);
	else if (written < n)
		write_rest(client, buf->base + written, n - written);
}

static void on_connection(uv_stream_t *server, int status) {
	check(status, "connection");
	uv_tcp_t *client = allocate(sizeof *client);
	check(uv_tcp_init(server->loop, client), "tcp_init");
	check(uv_accept(server, (uv_stream_t *)client), "accept");
	check(uv_tcp_nodelay(client, 1), "nodelay");
	check(uv_read_start((uv_stream_t *)client, on_alloc, on_read), "read_start");
}

static void on_request(uv_stream_t *in, ssize_t n, const uv_buf_t *buf) {
	(void)in, (void)buf;
	if (n < 0)
		exit(0);
}

static void serve(void) {
	uv_loop_t *loop = uv_default_loop();
	uv_tcp_t server;
	struct sockaddr_in address;
	int size = sizeof address;
	check(uv_tcp_init(loop, &server), "tcp_init");
	check(uv_ip4_addr("127.0.0.1", 0, &address), "ip4_addr");
	check(uv_tcp_bind(&server, (struct sockaddr *)&address, 0), "bind");
	check(uv_listen((uv_stream_t *)&server, 4096, on_connection), "listen");
	check(uv_tcp_getsockname(&server, (struct sockaddr *)&address, &size), "getsockname");
	printf("bench answer: 127.0.0.1:%d\n", ntohs(address.sin_port));
	fflush(stdout);

	uv_pipe_t in;
	check(uv_pipe_init(loop, &in, 0), "pipe_init");
	check(uv_pipe_open(&in, 0), "pipe_open");
	check(uv_read_start((uv_stream_t *)&in, on_alloc, on_request), "read_start");
	uv_run(loop, UV_RUN_DEFAULT);
}

int main(int argc, char **argv) {
	if (argc == 3 && strcmp(argv[1], "echo") == 0) {
		room_size = strtoul(argv[2], NULL, 10);
		room = allocate(room_size);
		serve();
	}
	char line[64];
	while (fgets(line, sizeof line, stdin) != NULL) {
		printf("bench answer: libuv %s (cc %s)\n", uv_version_string(), __VERSION__);
		fflush(stdout);
	}
}
