import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

/** More than fit on a page. */
const records = 230
const rounds = 4
/** Records that are withdrawn or restored during each harvest. */
const changedAtOnce = 40

/** Says when it began, then a line for each record: its identifier, and whether it is deleted. */
const client = `
  use HTTP::OAI;
  my ($url, $from) = @ARGV;
  my $harvester = HTTP::OAI::Harvester->new(baseURL => $url);
  print $harvester->Identify->responseDate, "\\n";
  my $answer = $harvester->ListRecords(metadataPrefix => 'oai_dc', ($from ? (from => $from) : ()),
    onRecord => sub { my $header = $_[0]->header;
      print join(' ', $header->identifier, $header->is_deleted ? 'deleted' : 'there'), "\\n" });
  die $answer->message unless $answer->is_success or $answer->message =~ /noRecordsMatch/;
`
const hasClient = spawnSync('perl', ['-MHTTP::OAI', '-e', '1']).status === 0
if (!hasClient) process.stderr.write('SKIPPED: there is no HTTP::OAI (Debian: libhttp-oai-perl).\n')

let daemon: TestDaemon
const deposits: DepositBody[] = []
const withdrawn = new Set<string>()

beforeAll(async () => {
  daemon = await testDaemon()
  const ada = daemon.as('ada')
  for (let number = 0; number < records; number += 1)
    deposits.push(await ada.createPublished({ title: `Level ${number}` }))
}, 300_000)
afterAll(() => daemon[Symbol.asyncDispose]())

const nameOf = ({ metadata }: DepositBody): string =>
  `oai:127.0.0.1:${metadata._deposit?.value ?? ''}`

interface Harvest {
  /** When the next one is to begin. */
  readonly began: string
  readonly states: readonly (readonly [name: string, state: string])[]
}

async function harvest(from = ''): Promise<Harvest> {
  const { stdout } = await promisify(execFile)('perl', ['-e', client, `${daemon.origin}/oai`, from])
  const [began = '', ...lines] = stdout.trim().split('\n')
  return {
    began,
    states: lines.map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']),
  }
}

/** Withdraws what is there, and restores what is not, one record after another. */
async function change(round: number): Promise<void> {
  const ada = daemon.as('ada')
  for (let at = 0; at < changedAtOnce; at += 1) {
    const deposit = deposits[(round * 97 + at * 13) % records]
    if (!deposit) continue
    const isGone = withdrawn.delete(deposit.id)
    if (isGone) bodyOf(await ada.act(deposit, 'restore-record'), 201)
    else {
      const path = `/deposits/${deposit.id}/actions/withdraw`
      bodyOf(await ada.post(path, { json: { reason: 'test' } }), 202)
      withdrawn.add(deposit.id)
    }
  }
}

describe.skipIf(!hasClient)('HTTP::OAI, while records are withdrawn and restored', () => {
  it('hears of each withdrawal once in a harvest, and misses none from one harvest to the next', async () => {
    const mirror = new Map<string, string>()
    let from = ''
    const bring = async (): Promise<void> => {
      const { began, states } = await harvest(from)
      // One that changes under a harvest may be told as it was, and then as it is.
      const lines = states.map((state) => state.join(' '))
      expect(new Set(lines).size).toBe(lines.length)
      for (const [name, state] of states) mirror.set(name, state)
      from = began
    }
    await bring()
    // From then on a harvest asks for changes alone.
    const last = deposits.at(-1)?.created ?? ''
    await vi.waitUntil(async () => (await harvest()).began > last, {
      timeout: 60_000,
      interval: 500,
    })
    await bring()
    for (let round = 0; round < rounds; round += 1) await Promise.all([bring(), change(round)])
    await bring()

    const truth = deposits.map(
      (deposit) => [nameOf(deposit), withdrawn.has(deposit.id) ? 'deleted' : 'there'] as const,
    )
    expect(withdrawn.size).toBeGreaterThan(changedAtOnce)
    expect(Object.fromEntries(mirror)).toEqual(Object.fromEntries(truth))
    // All of it at once says the same, and each once.
    const { states } = await harvest()
    expect(states).toHaveLength(records)
    expect(Object.fromEntries(states)).toEqual(Object.fromEntries(truth))
  }, 300_000)
})
