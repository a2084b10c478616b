import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { works } from '../run-command.ts'
import type { Circumstances } from '../service.ts'
import { cutAll, obstacle, type Adversity } from './power-cuts.ts'

/** Answers the calls instead of the system, which never gets them. */
const pretend =
  'strace -f -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:retval=0'.split(' ')

const preload = new URL('leave-out-syncs.mjs', import.meta.url).href

/** The syncs that are left out, although the daemon believes it has made them. */
const mutations: Readonly<Record<string, (home: string) => Circumstances>> = {
  'any sync': () => ({ under: [...pretend, '--seccomp-bpf'] }),
  'syncs of rows': (home) => ({ under: [...pretend, '-P', `${home}/deposit.db-wal`] }),
  'syncs of small files': (home) => ({ under: [...pretend, '-P', `${home}/small-blobs.db-wal`] }),
  'syncs of bytes and names': () => ({ env: { NODE_OPTIONS: `--import=${preload}` } }),
}

/**
 * Tests the test of power cuts. The program has no switch for it: the syncs are left out from
 * outside, by strace and by replacing a method of Node.js.
 */
export const unsyncedPowerCuts: Experiment = {
  name: 'power-cuts-unsynced',
  claim: 'With syncs left out, the same cuts are seen to lose what was acknowledged.',
  obstacle: () =>
    obstacle() ?? (works('strace', '-V') ? undefined : 'leaving out syncs needs strace'),
  run: runMutations,
}

async function runMutations(settings: Settings): Promise<Outcome> {
  const figures: Record<string, number> = {}
  const failures: string[] = []
  for (const [name, adversity] of Object.entries(mutations)) {
    settings.say(`without ${name}`)
    const { cuts, lost, mismatched } = await cutWithout(adversity, settings)
    figures[`cuts without ${name}`] = cuts
    figures[`lost without ${name}`] = lost
    figures[`mismatched without ${name}`] = mismatched
    if (lost + mismatched === 0) failures.push(`without ${name} nothing was lost`)
  }
  return { figures, failures }
}

async function cutWithout(adversity: Adversity, settings: Settings) {
  const { figures } = await cutAll(settings, adversity, 4)
  const { cuts = 0, lost = 0, mismatched = 0 } = figures
  return { cuts: Number(cuts), lost: Number(lost), mismatched: Number(mismatched) }
}
