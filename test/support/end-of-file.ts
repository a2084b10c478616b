type Ending = () => unknown

const endings: Ending[] = []

/** Runs `ending` when all tests of this test file have ended, the latest first. */
export function atEndOfFile(ending: Ending): void {
  endings.push(ending)
}

/** Runs those that wait. */
export async function endFile(): Promise<void> {
  for (let ending = endings.pop(); ending; ending = endings.pop()) await ending()
}
