// Package cli is what the commands share: flags, exit statuses, progress bars
// and JSON.
//
// A command is a run function, which a test can call, and a main around it:
//
//	func main() { cli.Main(run) }
//
//	func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
//		return cli.Run("solve", stdout, stderr, func(stdout io.Writer) error { return solve(ctx, args, stdout, stderr) })
//	}
//
//	func solve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
//		f := cli.NewFlags("solve", "Solve answers what best play is worth.")
//		name := f.Game(catalog.IDs())
//		f.Example("go run ./cmd/solve -game pig")
//		if err := f.Parse(args, stdout); err != nil {
//			return err
//		}
//		g, err := cli.OpenGame(name, catalog.Open)
//		...
//	}
//
// Every command ends with one of these statuses:
//
//	  0  done
//	  1  failed, or the answer could not be written
//	  2  the command line or a setting is wrong; nothing was done
//	130  interrupted, by Ctrl-C or SIGTERM
//
// A command that is interrupted says how to go on with what it has kept.
package cli
