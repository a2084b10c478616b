/**
 * A process that stores deposits in `folder` one after another, and prints each one that was
 * acknowledged, until it is killed.
 */
export function endlessWriter(folder: string): [string, ...string[]] {
  const path = (module: string) => new URL(`../../${module}`, import.meta.url).href
  const source = `
    import { openSqliteDatabase } from '${path('core/adapters/database/sqlite-database.ts')}'
    import { sampleConcept, sampleDraft, samplePid } from '${path('test/support/rows.ts')}'
    const database = await openSqliteDatabase(process.argv[1] + '/deposit.db', () => {})
    for (;;) {
      await Promise.all(Array.from({ length: 5 }, async () => {
        const draft = sampleDraft()
        await database.write(async (unit) => {
          await unit.pids.insert(samplePid({ value: draft.id }))
          await unit.pids.insert(sampleConcept(draft))
          await unit.deposits.insert(draft)
        })
        process.stdout.write(draft.id + '\\n')
      }))
    }`
  return [process.execPath, '--input-type=module', '-e', source, folder]
}
