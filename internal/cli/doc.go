// Package cli holds what the commands share: flags, exit statuses, progress bars
// and JSON.
//
// A command is a run function, which a test can call, and a main that calls it:
//
//	func main() { cli.Main(run) }
//
//	func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
//		return cli.Run("solve", stdout, stderr, func(stdout io.Writer) error { return solve(ctx, args, stdout, stderr) })
//	}
//
//	func solve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
//		f := cli.NewFlags("solve", "Solve computes the value of each seat under best play.")
//		name := f.Game()
//		f.Example("go run ./cmd/solve -game pig")
//		if err := f.Parse(args, stdout); err != nil {
//			return err
//		}
//		g, err := name.Open()
//		...
//	}
//
// Every command ends with one of these statuses:
//
//	  0  done
//	  1  failed, or the answer could not be written
//	  2  a wrong command line or setting, nothing was done; or a traceback of Go
//	130  interrupted, by Ctrl-C, SIGTERM or a closed terminal
//
// An interrupted command that has saved its work says how to continue.
package cli
