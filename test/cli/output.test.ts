import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toJson, toYaml } from '../../cli/output/json.ts'
import { jsonFields, settleJsonOption } from '../../cli/program/json-option.ts'
import { startProgress } from '../../cli/output/progress.ts'
import { plain } from '../../cli/plain.ts'
import { createStreams } from '../../cli/output/streams.ts'
import { depositBody, fileBody, rehearsalBody } from '../../core/contract/schemas.ts'
import { newTokenBody } from '../../core/contract/token-schemas.ts'
import { formatAge, formatBytes, formatSeconds } from '../../cli/output/units.ts'

describe('bytes for a person', () => {
  it.for([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [99_949, '99.9 kB'],
    [123_456, '123 kB'],
    [1_073_741_824, '1.1 GB'],
  ] as const)('%i are %s', ([bytes, text]) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})

describe('YAML of metadata', () => {
  it('has no control characters, and is the same when read back', async () => {
    const value = {
      title: 'a\u009B31m \u202Ecba',
      'key\u0085': ['plain', 'two\nlines\n', 'lines\nand \u009B2J'],
      number: 1,
    }
    const text = await toYaml(value)
    expect(text).not.toMatch(/[^\P{Cc}\n\t]|\u202E/u)
    expect(text).toContain('- |\n')
    expect(parse(text)).toEqual(value)
  })
})

describe('times for a person', () => {
  it('are seconds, then minutes, then hours', () => {
    expect([4.2, 125, 7300, Infinity].map(formatSeconds)).toEqual([
      '5 s',
      '2 min 5 s',
      '2 h 1 min',
      '–',
    ])
  })

  it('are ages in the largest unit that fits', () => {
    const now = Date.parse('2026-06-10T12:00:00Z')

    expect(formatAge('2026-06-10T11:59:30Z', now)).toBe('just now')
    expect(formatAge('2026-06-10T11:58:00Z', now)).toBe('2 minutes ago')
    expect(formatAge('2026-06-09T11:00:00Z', now)).toBe('1 day ago')
  })
})

describe('--json', () => {
  const deposit = { id: 'a', links: { html: 'h' }, revision: 0 }

  it("prints the server's JSON", () => {
    expect(JSON.parse(toJson(deposit, true))).toEqual(deposit)
  })

  it('prints the named fields, and null for missing ones', () => {
    expect(JSON.parse(toJson(deposit, 'id,links.html,links.record'))).toEqual({
      id: 'a',
      'links.html': 'h',
      'links.record': null,
    })
  })

  it('selects fields of each item of a list and of a page of results', () => {
    const page = { hits: { hits: [deposit], total: 1 }, links: {} }

    expect(JSON.parse(toJson([deposit], 'id'))).toEqual([{ id: 'a' }])
    expect(JSON.parse(toJson(page, 'id'))).toEqual([{ id: 'a' }])
  })

  it('reads no field of the prototype', () => {
    expect(JSON.parse(toJson(deposit, 'constructor'))).toEqual({ constructor: null })
  })

  it.for([
    [
      ['show', '--json', 'abc'],
      ['show', 'abc', '--json'],
    ],
    [
      ['show', 'abc', '--json', 'id,links.html'],
      ['show', 'abc', '--json=id,links.html'],
    ],
    [
      ['rm', '--json', 'abc', '--', '-x'],
      ['rm', 'abc', '--json', '--', '-x'],
    ],
    [
      ['rm', 'abc', '--', '--json'],
      ['rm', 'abc', '--', '--json'],
    ],
  ] as const)('takes only a list of fields as its argument: %j', ([args, settled]) => {
    const [name] = args
    const required = name === 'rm' ? 2 : 1
    const countMissing = (others: readonly string[]): number =>
      required - others.slice(1).filter((word) => !word.startsWith('-')).length
    expect(settleJsonOption(args, name, countMissing)).toEqual(settled)
  })

  it.for([
    ['show', depositBody],
    ['files', fileBody],
    ['check', rehearsalBody],
    ['token create', newTokenBody],
  ] as const)("%s knows every field of the server's answer", ([command, { properties }]) => {
    expect(jsonFields[command]).toEqual(expect.arrayContaining(Object.keys(properties)))
  })
})

describe('colour and motion', () => {
  const sink = (columns?: number) =>
    Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns })
  const streams = (noColor: boolean, columns?: number, stderr = sink(columns)) =>
    createStreams({ stdout: sink(columns), stderr, noColor })

  it('are used on terminals', () => {
    expect(streams(false, 120)).toMatchObject({
      hasColor: true,
      hasMotion: true,
      columns: 120,
    })
    expect(streams(false)).toMatchObject({ hasColor: false, hasMotion: false, columns: 80 })
  })

  it('are off with NO_COLOR, but questions are still possible', () => {
    const expected = { hasColor: false, hasMotion: false, isWatched: true }
    expect(streams(true, 120)).toMatchObject(expected)
  })

  it('are off on a terminal without columns', () => {
    expect(streams(false, 0)).toMatchObject({ hasColor: false, hasMotion: false, columns: 80 })
  })
})

describe('the progress of a transfer', () => {
  const transfer = { verb: 'Downloading', files: 12, bytes: 10_000_000_000 }

  it.for([
    [40, ' of '],
    [60, ' of '],
    [80, ' left'],
    [120, '█'],
  ] as const)('fits a terminal of %i columns, as far as "%s"', async ([columns, told]) => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns })
    const streams = createStreams({ stdout: new PassThrough(), stderr, noColor: false })
    using progress = await startProgress(streams, transfer, false)
    progress.advance(transfer.bytes / 2)
    let drawn = ''
    stderr.on('data', (text: Buffer) => (drawn += text.toString()))

    await expect.poll(() => drawn).toContain(told)
    const pieces = stripVTControlCharacters(drawn.replaceAll('\u001B[0K', '\n')).split('\n')
    expect(pieces.filter((piece) => piece.trim().length > columns)).toEqual([])
  })
})

describe('foreign text', () => {
  it('cannot move the cursor, break the line or change the text direction', () => {
    expect(plain('a\u001B[2Jb\nc\u202Ed')).toBe('a [2Jb c d')
  })
})
