import { hostname } from 'node:os'
import {
  systemClock,
  type ServiceMark,
  type StoreMarks,
  type Whereabouts,
} from '../../core/index.ts'
import type { Home } from '../home/home.ts'

/** Written by an operator who wants a store to be that of the service which uses it next. */
const anybody = 'any'

export function isForAnybody({ service }: ServiceMark): boolean {
  return service === anybody
}

/** The line to write, and the file, to that end. */
export function stepOf({
  name,
  textOf,
}: Pick<StoreMarks, 'name' | 'textOf'>): readonly [text: string, file: string] {
  return [textOf({ service: anybody }), name]
}

export function whereabouts({ root }: Home): Whereabouts {
  return { host: hostname(), home: root }
}

export function markOf(home: Home, service: string): ServiceMark {
  return { service, since: systemClock.now(), ...whereabouts(home) }
}

/** As a message names the service. */
export function describeMark({ service, since, host, home }: ServiceMark): string {
  return `the service ${service.slice(0, 8)}, since ${since} (${home} on ${host})`
}
