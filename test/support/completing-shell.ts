import { spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))

/** The function of the script fills COMPREPLY, as it does when a key is pressed. */
const bash = `
  source "$1"
  read -ra COMP_WORDS <<< "$2"
  [[ $2 == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  _deposit
  printf '%s\\n' "\${COMPREPLY[@]}"
`

/** An interactive shell in a terminal of its own, where a tab is typed behind the line. */
const zsh = `
  zmodload zsh/zpty
  zpty shell zsh -f -i
  zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; source $1; show() { print -r -- \\"<line>\\$BUFFER</line>\\"; zle accept-line; }; zle -N show; bindkey '^X' show; print is-ready"
  zpty -r shell seen $'*\\nis-ready*'
  zpty -w -n shell "$2"$'\\t\\x18'
  zpty -r shell seen '*</line>*'
  print -r -- "\${\${seen##*<line>}%%</line>*}"
  zpty -d shell
`

const fish = 'source $argv[1]; complete -C $argv[2]'

const commands = {
  bash: ['--norc', '-c', bash, 'bash'],
  zsh: ['-f', '-c', zsh, 'zsh'],
  fish: ['--no-config', '-c', fish],
} as const

/** Shells that `deposit completion` has a script for. */
export type CompletingShell = keyof typeof commands

export function isInstalled(shell: CompletingShell): boolean {
  return spawnSync(shell, ['-c', 'true']).error === undefined
}

/**
 * What a real shell makes of `line` when tab is pressed behind it: the words it offers, or the line
 * with the one word that fits.
 *
 * @param folder where it may write
 */
export async function completeIn(
  shell: CompletingShell,
  line: string,
  { script, folder, home }: { script: string; folder: string; home: string },
): Promise<string> {
  const bin = join(folder, 'bin')
  const file = join(folder, `script.${shell}`)
  await mkdir(bin, { recursive: true })
  await symlink(program, join(bin, 'deposit')).catch(() => {})
  await writeFile(file, script)
  const path = [bin, dirname(process.execPath), process.env['PATH']].join(':')
  const env = { ...process.env, PATH: path, DEPOSIT_HOME: home }
  const options = { env, cwd: folder, encoding: 'utf8', timeout: 60_000 } as const
  const { stdout, stderr, error } = spawnSync(shell, [...commands[shell], file, line], options)
  if (error !== undefined) throw new Error(`${shell}: ${stderr}`, { cause: error })
  return stdout
}
