/** True if there is an obstacle, which is printed: silence would look like success. */
export function unless(what: string, reason: string | undefined): boolean {
  if (reason !== undefined) process.stderr.write(`\nSKIPPED ${what}: ${reason}\n`)
  return reason !== undefined
}
