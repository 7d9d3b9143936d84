// Command web serves a page on which people play and analyse games, or exports it as
// files that need no server of their own.
package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/internal/web"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Run("web", stdout, stderr, func(stdout io.Writer) error { return command(ctx, args, stdout) })
}

// options are the flags.
type options struct {
	listen string
	runs   string
	game   string
	limit  time.Duration
	export string
	url    string
	cache  string
}

func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	f := cli.NewFlags("web", "Web serves a page on which you play and analyse all games. It shows what each choice is worth, exactly where a game is solved.")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8437", "`address` to listen on; if others can reach it, the printed address contains a random token")
	f.StringVar(&o.runs, "runs", "", "`folder` of training runs: the page shows their curves, and their networks play (default runs, if it exists)")
	f.StringVar(&o.game, "game", "", "`file` of a table of positions, which is added to the games of the page")
	f.DurationVar(&o.limit, "limit", time.Minute, "`time` limit per request, such as a search")
	f.StringVar(&o.export, "export", "", "write the page as files to this new `folder` instead of serving it; needs Go and the source code of this program")
	f.StringVar(&o.url, "url", "", "public `address` of the page of -export, such as https://example.org/mars/, for link previews")
	f.Group("Page", "listen", "runs", "game", "limit", "export", "url")
	f.Cache(&o.cache)
	f.Group("Solutions", "cache")
	f.Example("go run ./cmd/web")
	f.Example("go run ./cmd/web -runs runs")
	f.Example("go run ./cmd/web -listen 0.0.0.0:8437")
	f.Example("go run ./cmd/web -export site")
	if err := f.Parse(args, stdout); err != nil {
		return nil, err
	}
	if !(o.limit > 0) {
		return nil, cli.Usagef("-limit is %v; want above 0", o.limit)
	}
	if o.runs == "" {
		if info, err := os.Stat("runs"); err == nil && info.IsDir() {
			o.runs = "runs"
		}
	} else if info, err := os.Stat(o.runs); err != nil || !info.IsDir() {
		return nil, cli.Usagef("-runs: %s is no folder", o.runs)
	}
	if u, err := url.Parse(o.url); o.url != "" && (o.export == "" || err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "http") || u.RawQuery+u.Fragment != "" || !strings.HasSuffix(u.Path, "/")) {
		return nil, cli.Usagef("-url is %q; want the address of the folder of -export, such as https://example.org/mars/", o.url)
	}
	for _, name := range []string{"listen", "runs", "game", "limit"} {
		if o.export != "" && f.Given(name) {
			return nil, cli.Usagef("-export does not serve; leave out -%s", name)
		}
	}
	return &o, nil
}

func command(ctx context.Context, args []string, stdout io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	if o.export != "" {
		return export(ctx, o.export, o.url, cli.CacheDir(o.cache), stdout)
	}
	if o.game != "" {
		if err := catalog.Add(o.game); err != nil {
			return &cli.UsageError{Err: fmt.Errorf("-game: %w", err)}
		}
	}
	opt := web.Options{Cache: cli.CacheDir(o.cache), Work: runtime.GOMAXPROCS(0), Limit: o.limit}
	if o.runs != "" {
		if opt.Runs, err = os.OpenRoot(o.runs); err != nil {
			return &cli.UsageError{Err: fmt.Errorf("-runs: %w", err)}
		}
		defer opt.Runs.Close()
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return &cli.UsageError{Err: fmt.Errorf("-listen: %w; name another address, such as 127.0.0.1:0 for any free port", err)}
	}
	app := web.New(opt)
	go app.Prepare()
	s := newServer(app, l.Addr().(*net.TCPAddr))
	fmt.Fprintf(stdout, "Open %s\nCtrl-C ends the server.\n", s.address())
	return s.serve(ctx, l)
}

func pageFiles() fs.FS {
	sub, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // the files are embedded
	}
	return sub
}
