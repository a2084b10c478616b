declare const brand: unique symbol

/** A text or number that only its own parser makes, so that kinds cannot be mixed up. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name }
