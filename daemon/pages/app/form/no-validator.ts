/** Stands in for a validator that a test helper of the form library asks for. */
// oxlint-disable-next-line import/no-default-export -- what stands in has to look alike
export default undefined
