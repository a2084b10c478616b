import { Type, type Static, type TInteger, type TSchema } from 'typebox'

/** One key of the configuration. */
export interface Key<Schema extends TSchema = TSchema, Preset = unknown> {
  readonly schema: Schema
  /** The default, where neither the environment nor the file has the key. */
  readonly preset: Preset
  /** The description of the key, in Markdown. */
  readonly effect: string
  /** The preset in words. */
  readonly shown: string
  /** Its value is a number of bytes, which may be written as a size: `20GB`. */
  readonly isSize?: true
}

/** The type of a key's value once it was read. */
export type Value<Of extends Key> =
  Of extends Key<infer Schema, infer Preset> ? Static<Schema> | Preset : never

export function key<Schema extends TSchema>(
  schema: Schema,
  preset: Static<Schema>,
  effect: string,
  shown: string = `\`${String(preset)}\``,
): Key<Schema, Static<Schema>> {
  return { schema, preset, effect, shown }
}

/** A key for a number of bytes. */
export function sizeKey(
  [minimum, maximum]: readonly [number, number],
  preset: number,
  effect: string,
): Key<TInteger, number> & { readonly isSize: true } {
  return { ...key(Type.Integer({ minimum, maximum }), preset, effect), isSize: true }
}

/** A key that may be unset, or whose default depends on other keys. */
export function optionalKey<Schema extends TSchema>(
  schema: Schema,
  shown: string,
  effect: string,
): Key<Schema, undefined> {
  const isLiteral = shown !== 'none' && !shown.includes(' ')
  const words = isLiteral ? `\`${shown}\`` : shown
  return { schema, preset: undefined, effect, shown: words }
}
