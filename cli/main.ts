const interruption = new AbortController()
// Once: who presses it a second time does not want to wait.
process.once('SIGINT', () => interruption.abort())

const args = process.argv.slice(2)
const [first] = args

// The version needs no command tree, nor anything else.
if (args.length === 1 && (first === '--version' || first === '-V')) {
  const { readVersion } = await import('./version.ts')
  process.stdout.write(`${readVersion()}\n`)
} else {
  const [{ run }, { createContext }] = await Promise.all([
    import('./program.ts'),
    import('./context.ts'),
  ])
  using context = createContext({
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    folder: await currentFolder(),
    signal: interruption.signal,
  })
  process.exitCode = await run(args, context)
}

/** Where relative paths start. Ends the program where that folder was removed. */
async function currentFolder(): Promise<string> {
  try {
    return process.cwd()
  } catch {
    const { advice } = await import('./advice.ts')
    process.stderr.write(
      `deposit: could not begin\n  the current folder was removed\n  next: ${advice.changeFolder()}\n`,
    )
    process.exit(2)
  }
}
