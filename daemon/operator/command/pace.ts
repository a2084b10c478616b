/** Calls `tell` once a second at most; what is said between is left out. */
export function everySecond<Words extends readonly unknown[]>(
  tell: (...words: Words) => void,
): (...words: Words) => void {
  let last = performance.now()
  return (...words) => {
    if (performance.now() - last < 1000) return
    last = performance.now()
    tell(...words)
  }
}
