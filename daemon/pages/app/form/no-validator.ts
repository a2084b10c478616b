/** Stands in for a validator that a test helper of the form library asks for. */
export const noValidator = undefined
