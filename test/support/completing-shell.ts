import { spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))

interface Shell {
  /** The command that starts it interactively, in a folder with its start file. */
  readonly start: string
  readonly file: string
  /** Reads the script, and prints and empties the current line when Ctrl-T is pressed. */
  readonly text: string
}

const shells = {
  bash: {
    start: 'bash --noprofile --rcfile ./start.bash -i',
    file: 'start.bash',
    text: `
      PS1=; source ./script.bash
      show() { printf '<line>%s</line>\\n' "$READLINE_LINE"; READLINE_LINE=; }
      bind -x '"\\C-t": show'; echo is-ready`,
  },
  zsh: {
    start: 'ZDOTDIR=. zsh -d -i',
    file: '.zshrc',
    text: `
      PS1=; autoload -U compinit; compinit -u -D; source ./script.zsh
      show() { print -r -- "<line>$BUFFER</line>"; BUFFER= }
      zle -N show; bindkey '^T' show; print is-ready`,
  },
  fish: {
    start: `fish --no-config -i -C 'source ./start.fish'`,
    file: 'start.fish',
    text: `
      function fish_prompt; end
      source ./script.fish
      function show; echo '<line>'(commandline)'</line>'; commandline ''; end
      bind \\ct show; echo is-ready`,
  },
} as const satisfies Readonly<Record<string, Shell>>

/** Shells that `deposit completion` has a script for. */
export type CompletingShell = keyof typeof shells

/** Types lines into a shell in a terminal that zsh makes, with a tab and Ctrl-T after each. */
const type = `
  zmodload zsh/zpty
  zpty shell "$1"
  zpty -r shell seen '*is-ready*'
  for line in "\${@:2}"; do
    zpty -w -n shell "$line"$'\\t\\x14'
    zpty -r shell seen '*</line>*'
    print -r -- "\${\${seen##*<line>}%%</line>*}"
  done
  zpty -d shell
`

/** True if the shell is installed, and the one that types into it. */
export function isInstalled(shell: CompletingShell): boolean {
  return [shell, 'zsh'].every((name) => spawnSync(name, ['-c', 'true']).error === undefined)
}

/**
 * The completion of each of `lines` by a real shell when tab is pressed at its end.
 *
 * @param folder a folder where the shell may write
 */
export async function completeIn(
  shell: CompletingShell,
  lines: readonly string[],
  { script, folder, home }: { script: string; folder: string; home: string },
): Promise<readonly string[]> {
  const { start, file, text } = shells[shell]
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  await symlink(program, join(bin, 'deposit')).catch(() => {})
  await writeFile(join(folder, `script.${shell}`), script)
  await writeFile(join(folder, file), text)
  const path = [bin, dirname(process.execPath), process.env['PATH']].join(':')
  const env = { ...process.env, PATH: path, DEPOSIT_HOME: home, LC_ALL: 'C.UTF-8' }
  const options = { env, cwd: folder, encoding: 'utf8', timeout: 60_000 } as const
  const { stdout, stderr, error } = spawnSync(
    'zsh',
    ['-f', '-c', type, 'zsh', start, ...lines],
    options,
  )
  if (error !== undefined) throw new Error(`${shell}: ${stderr}`, { cause: error })
  return stdout.split('\n').slice(0, -1)
}
