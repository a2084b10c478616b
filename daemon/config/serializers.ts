import { StartFailure } from '../start-failure.ts'
import type { EndpointOptions, Serializer } from './endpoint-options.ts'

/** Serializers by the media type they make, the preferred one first. */
export type Serializers = ReadonlyMap<string, 'json' | Serializer>

/** The media types of each kind of answer of the endpoint. */
export interface EndpointSerializers {
  readonly record: Serializers
  readonly search: Serializers
  readonly files: Serializers
}

/** JSON for each kind of answer, unless the endpoint says otherwise. */
export function toSerializers(endpoint: EndpointOptions, name: string): EndpointSerializers {
  const { default_media_type: preferred } = endpoint
  const serializers = {
    record: inOrder(endpoint.record_serializers, preferred),
    search: inOrder(endpoint.search_serializers, preferred),
    files: inOrder(endpoint.files_serializers, preferred),
  }
  requireSerializer(serializers, preferred, name)
  return serializers
}

/** @throws {StartFailure} nothing can be sent as the media type that is preferred */
function requireSerializer(
  serializers: EndpointSerializers,
  preferred: string | undefined,
  name: string,
): void {
  const known = Object.values(serializers).flatMap((each: Serializers) => [...each.keys()])
  if (preferred === undefined || known.includes(preferred)) return
  throw new StartFailure(
    'config',
    `DEPOSIT_REST_ENDPOINTS.${name}.default_media_type is ${preferred}, for which there is no serializer: ` +
      `there are ${[...new Set(known)].join(', ')}.`,
  )
}

function inOrder(
  given: EndpointOptions['record_serializers'],
  preferred: string = 'application/json',
): Serializers {
  const entries = Object.entries(given ?? { 'application/json': 'json' as const })
  return new Map(entries.toSorted(([a], [b]) => Number(b === preferred) - Number(a === preferred)))
}

/** The media types of answers that are only JSON. */
export const jsonAlone: Serializers = new Map([['application/json', 'json']])
