module github.com/trueasync/trueasync-go/bench/peers

go 1.25.0

replace github.com/trueasync/trueasync-go => ../..

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/cloudwego/netpoll v0.7.2
	github.com/lesismal/nbio v1.6.8
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/panjf2000/gnet/v2 v2.9.7
	github.com/sourcegraph/conc v0.3.0
	github.com/trueasync/trueasync-go v0.0.0
	golang.org/x/sync v0.20.0
)

require (
	github.com/bytedance/gopkg v0.1.1 // indirect
	github.com/cloudwego/gopkg v0.1.4 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	go.uber.org/zap v1.27.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
	gopkg.in/natefinch/lumberjack.v2 v2.2.1 // indirect
)
