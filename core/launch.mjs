// Runs before anything else, on any version of Node.js: plain JavaScript in the syntax
// of old versions, with no static import.

/**
 * Oldest Node.js that runs the programs. `engines.node` of package.json has the oldest one that runs
 * this file: npm would warn of a Node.js that the package has a better one for.
 */
const needed = [24, 12]

/**
 * Runs a program on a Node.js that is new enough: this one, or the one an optional dependency of
 * the package brought along. With neither, or when the package was never built, it ends with one
 * line that says what to do.
 *
 * @param {string} program name of the command, for messages
 * @param {() => Promise<unknown>} load imports the program, which runs on import
 */
export function launch(program, load) {
  if (isNewEnough(process.versions.node)) {
    endWithLauncher()
    load().catch((error) => reportBroken(program, error))
  } else relaunch(program).catch((error) => fail(program, error.message))
}

/** Tells a program which process has launched it: programs that it starts itself are not told. */
const launcherVariable = 'DEPOSIT_LAUNCHER_PID'

/**
 * Ends this program as SIGTERM does when the process that launched it is gone: killed, that could
 * pass no signal on.
 */
function endWithLauncher() {
  const launcher = process.env[launcherVariable]
  delete process.env[launcherVariable]
  if (launcher !== String(process.ppid) || !process.channel) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > needed[0] || (major === needed[0] && minor >= needed[1])
}

async function relaunch(program) {
  const node = await findShippedNode()
  if (node === undefined || node === process.execPath) {
    fail(
      program,
      `needs Node.js ${needed.join('.')} or newer, and this is ${process.version} (${process.execPath}): ` +
        'install it from https://nodejs.org, or reinstall with the optional dependencies, which bring it on Linux and Windows',
    )
    return
  }
  const [{ spawn }, { isatty }] = await Promise.all([import('child_process'), import('tty')])
  // The channel closes when this process ends, however it ends.
  const child = spawn(node, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: Object.assign({}, process.env, { [launcherVariable]: String(process.pid) }),
  })
  follow(program, child, [0, 1, 2].some(isatty))
}

async function findShippedNode() {
  const [{ createRequire }, path] = await Promise.all([import('module'), import('path')])
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve(`node-${packagePlatform()}-${process.arch}/package.json`)
    return path.join(path.dirname(manifest), require(manifest).bin.node)
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** The packages say `win` where Node.js says `win32`. */
function packagePlatform() {
  return process.platform === 'win32' ? 'win' : process.platform
}

/**
 * Passes signals down to `child` and its end up to the process that started us. A terminal signals
 * the whole foreground group, so its signals are not passed on: one Ctrl-C would arrive as two.
 */
function follow(program, child, onTerminal) {
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGHUP']) {
    process.on(signal, () => {
      if (!onTerminal) child.kill(signal)
    })
  }

  // Those that programs which rotate logs send: here they would open an inspector, or end this process.
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => child.kill(signal))

  child.on('error', (error) => fail(program, error.message))
  child.on('exit', (status, signal) => {
    if (signal === null) process.exit(status)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function reportBroken(program, error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  const reason = error.message.split('\n')[0]
  fail(
    program,
    `is not installed completely (${reason}): run \`npm install\` where it stands, or \`npm run build\``,
  )
}

function fail(program, message) {
  process.stderr.write(`${program}: ${message}\n`)
  process.exitCode = 1
}
