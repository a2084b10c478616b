import type { Rows } from './guards.ts'

/** Guards without which a search index is taken for level with rows whose changes it has missed. */
export const lossesInSearch: Rows = {
  'core/adapters/database/sqlite-database.ts': [
    ['rows lose their mark with a change', 'fileSeal.break()', 'ports/sealed-index'],
    [
      'rows get no mark after a change that their index has missed',
      ['this.#isSealWithheld = true', ''],
      'ports/sealed-index',
    ],
  ],
  'core/adapters/sqlite/file-seal.ts': [
    [
      'a mark that a rollback has kept is taken off again',
      ['else this.set(0)', 'else { this.set(0); this.#isBroken = true }'],
      'ports/sealed-index',
    ],
  ],
  'core/adapters/search/fts/fts-index.ts': [
    [
      'an index with another mark is compared with the rows',
      ['if (found === mark)', 'if (found >= 0)'],
      'ports/sealed-index',
    ],
    [
      'an index that is not level gets no mark',
      ['this.isLevel ? (this.#options.seal?.next() ?? 0) : 0', 'this.#options.seal?.next() ?? 0'],
      'ports/sealed-index',
    ],
  ],
  'core/adapters/search/fts/fts-worker.ts': [
    [
      'an index that has missed a change gets no mark',
      ['task.close !== 0 && hasAll', 'task.close !== 0'],
      'ports/sealed-index',
    ],
  ],
}
