declare const brand: unique symbol

/** A text or number that only its own parser makes, so that one kind cannot pass for another. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name }
