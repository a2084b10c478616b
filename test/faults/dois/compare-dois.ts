import { setTimeout as sleep } from 'node:timers/promises'
import type { ProvidedPid } from '../../../core/contract/pids.ts'
import type { RecordBody } from '../../../core/contract/schemas.ts'
import type { Doi } from '../../support/services/datacite/doi.ts'
import type { FakeService } from '../../support/services/service.ts'
import type { Service } from '../service.ts'

/** The one that was published later, of those that are public. */
export function later(
  one: RecordBody | undefined,
  other: RecordBody | undefined,
): RecordBody | undefined {
  return one && (!other || one.created > other.created) ? one : other
}

/** The record as everybody sees it; undefined for one that is not public. */
export async function readRecord({ url }: Service, value: string): Promise<RecordBody | undefined> {
  const response = await fetch(`${url}/api/records/${value}`, { redirect: 'manual' })
  return response.status === 200 ? ((await response.json()) as RecordBody) : undefined
}

/** What the service says of a DOI. */
export interface Said {
  readonly record: RecordBody
  readonly url: string | undefined
  readonly doi: ProvidedPid | undefined
}

/** @param said undefined where nothing public has it */
export function findDifferences(
  name: string,
  doi: Doi | undefined,
  said: Said | undefined,
): readonly string[] {
  if (!said) {
    return doi === undefined || doi.state === 'registered' ? [] : [`${name} is ${doi.state}`]
  }
  if (!doi) return [`${name} was forgotten`]
  const { title, keywords } = said.record.metadata as {
    readonly title?: string
    readonly keywords?: readonly string[]
  }
  const here = {
    state: 'findable',
    url: said.url,
    titles: [title],
    subjects: keywords ?? [],
    status: 'registered',
  }
  const there = {
    state: doi.state,
    url: doi.url,
    titles: texts(doi.metadata['titles'], 'title'),
    subjects: texts(doi.metadata['subjects'], 'subject'),
    status: said.doi?.status,
  }
  const [one, other] = [JSON.stringify(here), JSON.stringify(there)]
  return one === other ? [] : [`${name}: ${one} here, ${other} there`]
}

function texts(list: unknown, name: string): readonly unknown[] {
  return Array.isArray(list)
    ? list.map((each: Readonly<Record<string, unknown>>) => each[name])
    : []
}

export function doisOf(datacite: FakeService): Readonly<Record<string, Doi>> {
  return datacite.state() as Readonly<Record<string, Doi>>
}

/** DOIs that are findable, and whose record was never published here. */
export async function findTooPublic(
  service: Service,
  datacite: FakeService,
  choose: (findable: readonly Doi[]) => readonly Doi[] = (all) => all,
): Promise<readonly string[]> {
  const found: string[] = []
  const findable = Object.values(doisOf(datacite)).filter(({ state }) => state === 'findable')
  for (const { doi } of choose(findable)) {
    const [, value = ''] = doi.split('/')
    const { status } = await fetch(`${service.url}/api/records/${value}`, {
      method: 'HEAD',
      redirect: 'manual',
    })
    // A concept leads to its newest version; one that was public is hidden a little later.
    if (![200, 301, 302, 410].includes(status))
      found.push(`${doi} is findable, its record: ${status}`)
  }
  return found
}

/** Time for DataCite to have everything. */
const quietMs = 20 * 60_000

/** A third of all answers fail, in every way that the server knows. */
export const shares = {
  error: 0.08,
  tooMany: 0.02,
  html: 0.04,
  gatewayTimeout: 0.04,
  brokenJson: 0.03,
  lostAnswer: 0.06,
  cutRequest: 0.02,
  cutAnswer: 0.02,
  slow: 0.02,
} as const

/** Counts of an experiment, when it is over. */
export function figuresOf(datacite: FakeService): Readonly<Record<string, number>> {
  const all = Object.values(doisOf(datacite))
  return {
    requests: datacite.requests.length,
    'of them failed': datacite.requests.filter(({ fault }) => fault !== undefined).length,
    DOIs: all.length,
    'of them hidden': all.filter(({ state }) => state !== 'findable').length,
  }
}

/** Waits until nothing is on its way, and the service itself finds no difference. */
export async function becomeQuiet(service: Service): Promise<readonly string[]> {
  const over = performance.now() + quietMs
  while (performance.now() < over) {
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    if (/^deposit_doi_pending 0$/m.test(metrics)) return []
    await sleep(500)
  }
  return [`DOIs are on their way after ${quietMs / 60_000} minutes`]
}
