import { describe, expect, it } from 'vitest'
import { choose, type Choice } from './choice.ts'
import { curves } from './curves.ts'
import { measurements } from './targets.ts'

const targetsOf = ({ measurements: chosen, isWanted }: Choice): readonly string[] =>
  chosen.flatMap(({ targets }) => targets.map(({ id }) => id).filter(isWanted))
const curvesOf = (choice: Choice): readonly string[] => choice.curves.map(({ id }) => id)

describe('npm run bench', () => {
  it('measures everything', () => {
    const all = choose([])
    expect(all.measurements).toEqual(measurements)
    expect(all.curves).toEqual(curves)
    expect(all.command).toBe('npm run bench')
  })

  it('measures every target and no curve with --quick', () => {
    const quick = choose(['--quick'])
    expect(quick.measurements).toEqual(measurements)
    expect(quick.curves).toEqual([])
    expect(quick.scale.isQuick).toBe(true)
  })

  it('measures only the curves with --growth', () => {
    const growth = choose(['--growth'])
    expect(growth.measurements).toEqual([])
    expect(growth.curves).toEqual(curves)
  })

  it('measures only the programs of others with --peers, and them in a whole run', () => {
    const others = choose(['--peers'])
    expect([others.measurements, others.curves]).toEqual([[], []])
    expect(others.command).toBe('npm run bench -- --peers')
    const runs = [[], ['--peers'], ['--quick'], ['--growth'], ['P1']]
    expect(runs.map((args) => choose(args).hasPeers)).toEqual([true, true, false, false, false])
  })

  it('measures only other places with --places, and them in a whole run', () => {
    const elsewhere = choose(['--places'])
    expect([elsewhere.measurements, elsewhere.curves]).toEqual([[], []])
    expect(elsewhere.command).toBe('npm run bench -- --places')
    const runs = [[], ['--places'], ['--quick'], ['--growth'], ['P1'], ['--peers']]
    const chosen = runs.map((args) => choose(args).hasPlaces)
    expect(chosen).toEqual([true, true, false, false, false, false])
  })

  it('measures the named targets and curves', () => {
    const some = choose(['--quick', 'P1', 'P4b', 'clients'])
    expect(targetsOf(some)).toEqual(['P1a', 'P1b', 'P4b'])
    expect(curvesOf(some)).toEqual(['clients'])
    expect(some.command).toBe('npm run bench -- --quick P1 P4b clients')
  })

  it('keeps homes in a folder, which is no part of the command that repeats the figures', () => {
    const kept = choose(['P20', '--folder', '/kept'])
    expect(kept.folder).toBe('/kept')
    expect(kept.command).toBe('npm run bench -- P20')
  })

  it('refuses an unknown name', () => {
    expect(() => choose(['P99'])).toThrow('"P99" is none of P1a, P1b')
    expect(() => choose(['--slow'])).toThrow("Unknown option '--slow'")
  })

  it('measures P1 to P16, public records, folders, tables and DOIs', () => {
    const numbers = targetsOf(choose([])).map((id) => Number.parseInt(id.slice(1), 10))
    const listed = Array.from({ length: 16 }, (_, index) => index + 1)
    expect([...new Set(numbers)]).toEqual(
      expect.arrayContaining([...listed, 19, 20, 21, 25, 26, 27]),
    )
  })
})
