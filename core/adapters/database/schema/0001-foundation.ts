import type { SchemaModule } from 'kysely'

/** Accounts, identifiers, deposits, files and records. */
export async function foundation(schema: SchemaModule): Promise<void> {
  await createAccounts(schema)
  await createDeposits(schema)
  await createFiles(schema)
  await createRecords(schema)
}

async function createAccounts(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('admin', 'integer', (column) => column.notNull())
    .addColumn('disabled', 'integer', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('deposit_id', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('expires', 'text')
    .execute()
  await index(schema, 'tokens', ['account_id', 'created'])
}

async function createDeposits(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('pids')
    .addColumn('pid_type', 'text', (column) => column.notNull())
    .addColumn('pid_value', 'text', (column) => column.notNull())
    .addColumn('object_type', 'text', (column) => column.notNull())
    .addColumn('object_uuid', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('redirect_type', 'text')
    .addColumn('redirect_value', 'text')
    .addPrimaryKeyConstraint('pids_primary', ['pid_type', 'pid_value'])
    .execute()
  await schema
    .createTable('deposits')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) => column.notNull().unique())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('owners', 'text', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('schema_path', 'text')
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('base_revision', 'integer')
    .addColumn('record_type', 'text')
    .addColumn('record_value', 'text')
    .addColumn('record_revision', 'integer')
    .addColumn('predecessor', 'text')
    .addColumn('indexed', 'integer', (column) => column.notNull())
    .addColumn('hidden', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('updated', 'text', (column) => column.notNull())
    .execute()
  await index(schema, 'deposits', ['owner', 'hidden', 'updated desc', 'id'])
  await index(schema, 'deposits', ['owner', 'hidden', 'status', 'updated desc', 'id'])
  await index(schema, 'deposits', ['hidden', 'updated desc', 'id'])
  await index(schema, 'deposits', ['hidden', 'status', 'updated desc', 'id'])
}

async function createFiles(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('buckets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('file_count', 'integer', (column) => column.notNull())
    .addColumn('byte_count', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createTable('blobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('digests', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('published_position', 'integer')
    .addColumn('version_id', 'text', (column) => column.notNull())
    .addColumn('blob_id', 'text', (column) => column.notNull().references('blobs.id'))
    .addColumn('storage_class', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .addUniqueConstraint('files_key', ['bucket_id', 'key'])
    .execute()
  await schema
    .createTable('file_versions')
    .addColumn('version_id', 'text', (column) => column.primaryKey())
    .addColumn('file_id', 'text', (column) => column.notNull())
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('blob_id', 'text', (column) => column.notNull().references('blobs.id'))
    .addColumn('storage_class', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .execute()
  await index(schema, 'files', ['bucket_id', 'position'])
  await index(schema, 'files', ['blob_id'])
  await index(schema, 'file_versions', ['file_id', 'ordinal'])
  await index(schema, 'file_versions', ['blob_id'])
}

async function createRecords(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('record_revisions')
    .addColumn('pid_type', 'text', (column) => column.notNull())
    .addColumn('pid_value', 'text', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('latest', 'integer', (column) => column.notNull())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('schema_path', 'text')
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('deposit', 'text', (column) => column.notNull())
    .addColumn('predecessor', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('updated', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('record_revisions_primary', ['pid_value', 'revision'])
    .execute()
  await index(schema, 'record_revisions', ['latest', 'updated desc', 'pid_value'])
  await index(schema, 'record_revisions', ['bucket_id', 'latest'])
  await index(schema, 'record_revisions', ['predecessor'])
}

/** An index named after its table and columns. */
async function index(schema: SchemaModule, table: string, columns: string[]): Promise<void> {
  const name = [table, 'by', ...columns.map((column) => column.split(' ')[0])].join('_')
  await schema.createIndex(name).on(table).columns(columns).execute()
}
