import {
  element,
  resourceTypes,
  toResourceType,
  type Markup,
  type PublishedRecord,
} from '../../../core/index.ts'
import type { RecordSet } from '../../config/extensions.ts'

/** The sets of OAI-PMH: one for each resource type, and those of the operator. */
export interface OaiSets {
  readonly has: (name: string) => boolean
  /** Names of the sets of a record. */
  readonly of: (record: PublishedRecord) => readonly string[]
  readonly list: () => Markup
}

/**
 * @param own sets of the configuration file, by name
 * @param report told of the first failure of each set: the record is not in it
 */
export function oaiSets(
  own: Readonly<Record<string, RecordSet>>,
  report: (error: unknown) => void,
): OaiSets {
  const types = [...resourceTypes.values()]
  const failed = new Set<string>()
  const isIn = (name: string, { metadata, value }: PublishedRecord): boolean => {
    try {
      const answer: unknown = own[name]?.has(metadata)
      if (typeof answer === 'boolean') return answer
      throw new TypeError('`has` must answer true or false, at once')
    } catch (cause) {
      // Once for each set: it may fail for many records, in each harvest.
      if (!failed.has(name)) report(new Error(`sets.${name} failed for record ${value}`, { cause }))
      failed.add(name)
      return false
    }
  }
  return {
    has: (name) => types.includes(name) || Object.hasOwn(own, name),
    of: (record) => {
      const type = toResourceType(record.metadata['resource_type'])?.general
      const others = Object.keys(own).filter((name) => isIn(name, record))
      return [...(type === undefined ? [] : [type]), ...others]
    },
    list: () => {
      const byType = types.map((name) => toSet(name, name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')))
      const byOperator = Object.entries(own).map(([name, { title = name }]) => toSet(name, title))
      return element('ListSets', {}, [...byType, ...byOperator])
    },
  }
}

function toSet(spec: string, name: string): Markup {
  return element('set', {}, [element('setSpec', {}, spec), element('setName', {}, name)])
}
