/** True where something stands in the way, and says so: silence would look like success. */
export function unless(what: string, reason: string | undefined): boolean {
  if (reason !== undefined) process.stderr.write(`\nSKIPPED ${what}: ${reason}\n`)
  return reason !== undefined
}
