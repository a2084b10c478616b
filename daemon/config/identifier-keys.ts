import { Type } from 'typebox'
import { defaults } from '../../core/contract/defaults.ts'
import { key, optionalKey } from './key.ts'

const text = Type.String({ minLength: 1 })

/** The keys of the identifiers of records: how they are made, and where they are registered. */
export const identifierKeys = {
  DEPOSIT_PID_MINTER: key(
    text,
    defaults.DEPOSIT_PID_MINTER,
    'Minter of identifiers: of a record at its first publish, and of all its versions together when the first draft is created: `recid`, or one of the `minters` of the configuration file; see EXTENSIONS. It may also name a provider of further identifiers: `ark`, `datacite` (which needs the four settings of DataCite, and is used with them in any case), or one of the `providers` of the configuration file.',
  ),
  DEPOSIT_DOI_PREFIX: optionalKey(
    Type.String({ pattern: '^10[.][0-9]{4,5}$', wanted: 'a DOI prefix, such as 10.5072' }),
    'none: no DOIs',
    'Prefix of the DOIs of records and their concepts: `10.5072/j4nfh-zjv59`. DOIs are registered at DataCite once this and the next three settings are set; see DOIS in depositd(8). `10.5072` is for tests: it is refused with the production address of DataCite, as another prefix is with its test address.',
  ),
  DEPOSIT_DATACITE_URL: optionalKey(
    text,
    'none',
    'Address of the interface of DataCite: `https://api.datacite.org`, or `https://api.test.datacite.org` for tests.',
  ),
  DEPOSIT_DATACITE_ACCOUNT: optionalKey(
    Type.String({ pattern: '^[^:\\s]+$', wanted: 'the id of a repository, such as ABC.DEPOSIT' }),
    'none',
    'Id of your repository at DataCite, such as `ABC.DEPOSIT`.',
  ),
  DEPOSIT_DATACITE_PASSWORD_FILE: optionalKey(
    text,
    'none',
    'File with its password, which others cannot write to. It is read for each request, so a new password needs no restart. After DataCite has refused one, the next attempt is made seconds after the file has changed, or after `depositd doi retry`.',
  ),
  DEPOSIT_ARK_NAAN: key(
    Type.String({
      pattern: '^[0-9]{5}(/[a-z0-9]+)?$',
      wanted: 'a number of five digits, perhaps with a shoulder: 99999/fk4',
    }),
    '99999',
    'Name assigning authority number of the ARKs that `DEPOSIT_PID_MINTER=ark` makes, perhaps with a shoulder: `12345/x1`. `99999` is for tests.',
  ),
} as const
