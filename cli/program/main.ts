const interruption = new AbortController()
/** Status of a command that ended because of the signal: 128 and its number. */
let interruptedStatus: number | undefined
// Once: a second signal ends the process at once.
for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.once(signal, () => {
    // A closed terminal takes no message.
    if (signal === 'SIGHUP') process.stderr.on('error', () => {})
    interruptedStatus ??= status
    interruption.abort()
  })
}

// A full disk behind `>`: told once the command has ended, which may have said more itself.
let unwritten: unknown
process.stdout.on('error', (error) => {
  unwritten ??= error
})
process.once('beforeExit', () => {
  if (unwritten !== undefined && !process.exitCode) void tellUnwritten()
})

async function tellUnwritten(): Promise<void> {
  process.exitCode = 1
  const { advice } = await import('../advice.ts')
  const { reasonOfNoWrite } = await import('../no-write.ts')
  const reason = reasonOfNoWrite(unwritten) ?? String(unwritten)
  const lines = [
    'deposit: could not write the result',
    `  ${reason}: standard output; the command itself has ended`,
    `  next: ${advice.seeResult()}`,
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
}

const args = process.argv.slice(2)
const [first] = args

// The version needs no command tree.
if (args.length === 1 && (first === '--version' || first === '-V')) {
  const { readVersion } = await import('../version.ts')
  process.stdout.write(`${readVersion()}\n`)
} else {
  const { keepCompiled } = await import('./compile-cache.ts')
  keepCompiled()
  const [{ run }, { createContext }] = await Promise.all([
    import('./program.ts'),
    import('../session/context.ts'),
  ])
  using context = createContext({
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    folder: await currentFolder(),
    signal: interruption.signal,
  })
  const status = await run(args, context)
  const isInterrupted = status === 130 && interruptedStatus !== undefined
  process.exitCode = isInterrupted ? interruptedStatus : status
}

/** The folder where relative paths start. Ends the program if it was removed. */
async function currentFolder(): Promise<string> {
  try {
    return process.cwd()
  } catch {
    const { advice } = await import('../advice.ts')
    process.stderr.write(
      `deposit: could not begin\n  the current folder was removed\n  next: ${advice.changeFolder()}\n`,
    )
    process.exit(2)
  }
}
