import {
  OperationNodeTransformer,
  RawNode,
  type ColumnDefinitionNode,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely'

/**
 * Gives the types of migrations in PostgreSQL their meaning in SQLite: text is ordered by bytes
 * in any locale of the database, and integers have 64 bits.
 */
export class PostgresTypes implements KyselyPlugin {
  readonly #columns = new ColumnTypes()

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return this.#columns.transformNode(node)
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

const meanings: ReadonlyMap<string, string> = new Map([
  ['text', 'text collate "C"'],
  ['integer', 'bigint'],
])

class ColumnTypes extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const column = super.transformColumnDefinition(node)
    const { dataType } = column
    const isNamed = 'dataType' in dataType && typeof dataType.dataType === 'string'
    const meaning = isNamed ? meanings.get(String(dataType.dataType)) : undefined
    return meaning ? { ...column, dataType: RawNode.createWithSql(meaning) } : column
  }
}
