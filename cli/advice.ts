declare const ofTable: unique symbol

/** A hint of {@link advice}, filled in: nothing else is shown behind `next:`. */
export type Advice = string & { readonly [ofTable]: true }

/**
 * Everything that a failure may tell a person to do. Each is followed to the letter by
 * `test/cli/advice.test.ts`, which does not compile while one of them has no row there.
 */
export const advice = table({
  correctAbove: () => 'correct what is named above and try again',
  runAgain: () => 'run the command again',
  waitForOther: () => 'another command sends the same file; run yours again when it has ended',
  useOtherKey: () => 'use another key for another request; `deposit list` shows what was made',
  runAgainIn: (seconds: number) => `run the command again in ${seconds} s`,
  runAgainSoon: () => 'run the command again in a moment',
  tellOperator: () => 'tell the operator the request above; then run the command again',
  tellOperatorOfStore: () => 'tell the operator: the store has to be looked after',
  tellOperatorOfRoom: () => 'tell the operator; once there is room, run the command again',
  correctDocument: (id: string) =>
    `correct the metadata file, or the draft with \`deposit update ${id}\`, and try again`,
  nameSchema: () => 'leave out `$schema`, or name one that the server has',
  comparePatch: (id: string) => `compare the patch with \`deposit show ${id} --json\``,
  correctQuery: () => 'correct the query at the position named',
  correctPaging: () => 'correct the option named above, or narrow the search',
  seeFiles: (id: string) => `see the names and ids with \`deposit files ${id}\``,
  renameOrReplace: (id: string) =>
    `give it another name, or replace the file with \`deposit upload ${id} FILE --replace\``,
  logIn: () => 'run `deposit login`, or set DEPOSIT_TOKEN',
  seeScopes: () =>
    'see the scopes you have with `deposit whoami`, and get a token with the one that is missing',
  seeOwner: () => 'see who you are with `deposit whoami`, or ask the owner',
  seeStatus: (id: string) => `see the status with \`deposit show ${id}\``,
  lookAgain: (id: string) => `look at it again with \`deposit show ${id}\`, and repeat the change`,
  seeDeposits: () => 'see your deposits with `deposit list`',
  findDeposit: () =>
    'see your deposits with `deposit list`; six digits of an identifier will do, except for `delete`',
  takeActions: (id: string, actions: readonly string[]) =>
    `run ${actions.map((action) => `\`${commandOf(id, action)}\``).join(' or ')}`,
  endUploads: (id: string, uploads: readonly string[]) =>
    `run the \`deposit upload\` that was interrupted again, or delete what has arrived with ` +
    `\`deposit uploads ${id} ${uploads.join(' ')} --delete\``,
  settleConflicts: (id: string) =>
    `set what shall stay with \`deposit update ${id} --set FIELD=TEXT\`, keep the draft's values with ` +
    `\`deposit action ${id} merge\`, and publish again; or \`deposit discard ${id}\``,
  splitFile: () => 'split the file, or ask the operator for a larger limit',
  freeRoom: () => 'delete what is not needed, or ask the operator for more',
  useKnownHost: () => 'use the address that the server is known by in DEPOSIT_URL',
})

/** The command that runs an action: its own where it has one. */
function commandOf(id: string, action: string): string {
  const isOwn = action === 'publish' || action === 'edit' || action === 'discard'
  return isOwn ? `deposit ${action} ${id}` : `deposit action ${id} ${action}`
}

type Table<Hints> = {
  readonly [Name in keyof Hints]: Hints[Name] extends (...values: infer Values) => string
    ? (...values: Values) => Advice
    : never
}

function table<Hints extends Readonly<Record<string, (...values: never[]) => string>>>(
  hints: Hints,
): Table<Hints> {
  return hints as unknown as Table<Hints>
}
