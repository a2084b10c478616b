import { parseArgs } from 'node:util'
import { curves } from './curves.ts'
import type { Growth } from './growth/curve.ts'
import { quick, whole, type Scale } from './scale.ts'
import type { Measurement } from './target.ts'
import { measurements } from './targets.ts'

/** The measurements of a run. */
export interface Choice {
  readonly scale: Scale
  /** Where homes with records are kept for further runs; by default they are not. */
  readonly folder: string | undefined
  /** The command that repeats it. */
  readonly command: string
  readonly measurements: readonly Measurement[]
  /** Whether one of their targets is selected. */
  readonly isWanted: (id: string) => boolean
  readonly curves: readonly Growth[]
  /** Whether other programs are measured beside ours. */
  readonly hasPeers: boolean
  /** Whether other places of rows and bytes are measured, and several daemons. */
  readonly hasPlaces: boolean
}

/** @throws {Error} an argument names no target and no curve */
export function choose(args: readonly string[]): Choice {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      places: { type: 'boolean', default: false },
      folder: { type: 'string' },
    },
  })
  positionals.forEach(requireKnown)
  const told = [
    ...(values.quick ? ['--quick'] : []),
    ...(values.growth ? ['--growth'] : []),
    ...(values.peers ? ['--peers'] : []),
    ...(values.places ? ['--places'] : []),
    ...positionals,
  ]
  const isCompared = values.peers || values.places
  const isAll = positionals.length === 0 && !(isCompared && !values.growth)
  const isWanted = (id: string): boolean =>
    isAll ? !values.growth : positionals.some((name) => isNamed(id, name))
  const isDrawn = ({ id }: Growth): boolean =>
    values.growth || (isAll ? !values.quick : positionals.includes(id))
  const isWhole = isAll && !values.quick && !values.growth
  return {
    scale: values.quick ? quick : whole,
    folder: values.folder,
    command: ['npm run bench', ...(told.length > 0 ? ['--', ...told] : [])].join(' '),
    measurements: measurements.filter(({ targets }) => targets.some(({ id }) => isWanted(id))),
    isWanted,
    curves: curves.filter(isDrawn),
    hasPeers: values.peers || isWhole,
    hasPlaces: values.places || isWhole,
  }
}

/** `P1` names `P1a` and `P1b`, and not `P10`. */
function isNamed(id: string, name: string): boolean {
  return id === name || id.replace(/[a-z]$/, '') === name
}

function requireKnown(name: string): void {
  const targets = measurements.flatMap((measurement) => measurement.targets)
  const known = [...targets, ...curves].map(({ id }) => id)
  if (known.some((id) => isNamed(id, name))) return
  throw new Error(`"${name}" is none of ${known.join(', ')}`)
}
