import type { Random } from '../random.ts'

/** Never an existing one: 53 random bits. */
export function randomKey(random: Random): string {
  const name = Math.floor(random.fraction() * 2 ** 32).toString(36)
  return `${name}-${random.between(0, 2 ** 21).toString(36)}.dat`
}
