import type { Rows } from './guards.ts'

/** Guards without which others would see or change what they may not. */
export const leaks: Rows = {
  'core/deposit/permissions.ts': [
    ['a permission needs a token', "if (caller === 'anonymous')", 'spec/07-authentication'],
    ['a permission needs its scope', 'if (missing)', 'spec/07-authentication'],
    [
      'a token for one deposit reaches no other',
      'if (onlyDeposit !== undefined && onlyDeposit !== id)',
      'security/tokens',
    ],
    [
      'a token for one deposit gives nobody a right over it',
      'if (isForWholeTokens && onlyDeposit !== undefined)',
      'security/giving-access',
    ],
    [
      'a token that cannot act gives nobody a right',
      ['isOwner, writeScope, actionsScope', 'isOwner, writeScope'],
      'security/giving-access',
    ],
    [
      'a deposit that is not indexed is not read',
      'if (permission.needsIndex && deposit?.indexed === false)',
      'spec/07-authentication',
    ],
    [
      'a link gives the rights of its role alone',
      'if (right === undefined || isOut || !hasRight(role, right))',
      'security/share-links',
    ],
    [
      'only those whom the check lets pass do so',
      'if (!permission.check(toAsker(caller), deposit))',
      'security/foreign-ids',
    ],
    [
      'curators see nothing that was never published',
      ['&& deposit?.record !== undefined', ''],
      'security/roles',
    ],
    [
      'what others published is for curators alone',
      ["&& roles.has('curator')", ''],
      'security/foreign-ids',
      'security/roles',
    ],
    [
      'curators run no other action and make no other change',
      ['isForCurators === true &&', ''],
      'security/roles',
    ],
  ],
  'daemon/pages/escape-html.ts': [
    ['texts of pages are no markup', ['/[&<>"\']/g', '/&/g'], 'pages/shells'],
  ],
  'core/exports/xml.ts': [
    ['texts of descriptions are no markup', ['/[&<>"\\r]/g', '/&/g'], 'pages/markdown'],
  ],
  'core/contract/markdown.ts': [
    [
      'links of a description lead to the web alone',
      ['if (!isAddress(href)) return undefined\n  const words', 'const words'],
      'pages/markdown',
    ],
  ],
  'core/adapters/database/account-rows.ts': [
    [
      'the sign-ins of a user who is deleted are removed',
      [", 'issuer_entries'] as const", '] as const'],
      'ports/sqlite-database',
    ],
  ],
  'daemon/api/route.ts': [
    [
      'only administrators see and change users',
      'requirePermission(caller, permission)',
      'security/admin',
    ],
  ],
  'daemon/api/admin.ts': [
    [
      'the last administrator stays one',
      'if (isActiveAdmin(current) && !isActiveAdmin(next))',
      'security/admin',
    ],
  ],
  'daemon/http/request-log.ts': [
    [
      'a token without a name is in no log',
      ['(value === undefined ? alone : named).test(name)', 'true'],
      'foreign/foreign-limits',
    ],
    [
      'the audit trail names nobody by e-mail',
      ["text.replaceAll(/[^\\s@\"'<>/=]+@[^\\s@\"'<>/]+/g, '…')", 'text'],
      'security/audit',
    ],
  ],
  'core/access/file-access.ts': [
    [
      'closed files are open to nobody before their day',
      ['return isOpenAt(accessOf(record), now)', 'return true'],
      'security/embargo-matrix',
    ],
    [
      'closed files are for those who may read the deposit',
      ["return caller !== 'anonymous' && mayRead(caller)", 'return true'],
      'security/embargo-matrix',
    ],
  ],
  'core/contract/file-access.ts': [
    [
      'an empty `access` is a fault, and opens nothing',
      ['names.every(', 'names.length > 0 && names.every('],
      'security/review-makers',
    ],
    [
      'an embargo lasts until its day',
      ['until !== undefined && until <= now.slice(0, 10)', 'until !== undefined'],
      'security/embargo-matrix',
    ],
  ],
  'core/contract/access-limits.ts': [
    [
      'access keeps files closed at least as long as other fields say',
      ['return until === undefined || (limit !== undefined && limit <= until)', 'return true'],
      'spec/37-access-of-files',
    ],
    [
      'files that access says are public are not closed in other words',
      "if (files === 'public') return false",
      'spec/37-access-of-files',
    ],
  ],
  'core/describe/describe.ts': [
    [
      'the newest revision says who may have the files of earlier ones',
      ["source.access ?? toFileAccess(metadata['access'])", "toFileAccess(metadata['access'])"],
      'security/embargo-matrix',
    ],
  ],
  'core/actions/new-version.ts': [
    [
      'a new version keeps closed what the one before does',
      [
        "metadata['access'] !== undefined && filesAreOpen(latest, now)",
        "metadata['access'] !== undefined",
      ],
      'spec/37-access-of-files',
    ],
  ],
  'daemon/foreign/zenodo/metadata.ts': [
    [
      'files are opened by access_right alone',
      ['...(!isTold && limits !== undefined && { access: limits }),', ''],
      'foreign/zenodo-metadata',
    ],
  ],
  'core/service/authorize.ts': [
    [
      'an anonymous link hides who made a deposit',
      'if (caller.link.anonymous)',
      'security/share-links',
    ],
    [
      'no link shows who has reviewed a draft',
      ['withFields(deposit, { review: withoutUsers(deposit.review) })', 'deposit'],
      'security/share-links',
    ],
    [
      'a request is refused before its body is read',
      'requirePermission(caller, permissionFor(parts, intent), deposit)',
      'spec/07-authentication',
      'spec/09-check-order',
    ],
    [
      'an answer to a deletion is for tokens that could have made it',
      'requireGoodToken(caller, permissionFor(parts, intent), id)',
      'durability/repeated-changes',
    ],
    [
      'creating a deposit needs its permission',
      'requirePermission(caller, permissions.create)',
      'spec/07-authentication',
    ],
    [
      'a change of another revision is refused',
      'if (expected && !expected.includes(deposit.revision))',
      'spec/03-deposit-list-and-item',
    ],
  ],
  'core/service/files.ts': [
    [
      'a bucket of closed files is not open to others',
      'if (!mayReadFiles(caller, latest, now, mayRead))',
      'security/embargo-matrix',
    ],
    [
      'files are read with the permission to read',
      'requirePermission(caller, permission, deposit)',
      'security/foreign-ids',
    ],
    [
      'files of a published deposit are not renamed',
      "requireOpenFiles(deposit, 'rename')",
      'spec/05-deposit-files-list',
    ],
    [
      'files of a published deposit are not deleted',
      "requireOpenFiles(deposit, 'delete')",
      'spec/05-deposit-files-list',
    ],
    [
      'files of a published deposit are not sorted',
      "requireEditable(deposit, 'sort', unit.pids)",
      'spec/02-states',
    ],
  ],
  'core/service/records.ts': [
    [
      'files with access in another spelling are not opened by a correction',
      ['[...limits, ...strays]', '[...limits]'],
      'spec/37-access-of-files',
    ],
    [
      'closed files of a record are told to nobody else',
      ['return mayReadFiles(caller, newest, now, mayRead)', 'return true'],
      'security/embargo-matrix',
    ],
    [
      'an earlier revision opens nothing that the newest closes',
      ['(await read.records.find(record.value)) ?? record', 'record'],
      'security/embargo-matrix',
    ],
    [
      'a curator corrects no record of their own where review is required',
      'requireOthers(parts, unit, correction.caller, latest)',
      'spec/37-review',
    ],
    [
      'correcting a record needs its permission',
      'requirePermission(caller, correctPermission)',
      'spec/07-authentication',
    ],
    [
      'a correction of another revision is refused',
      'if (expected && !expected.includes(record.revision))',
      'spec/16-bucket',
    ],
    ['a sealed record is not corrected', 'requireUnsealed(unit, latest)', 'spec/16-bucket'],
  ],
  'core/service/run-action.ts': [
    [
      'a token for one deposit makes no further deposit',
      ['requireUnbound(caller)\n', '\n'],
      'security/tokens',
    ],
  ],
  'core/service/upload-status.ts': [
    [
      'an upload is found in its own deposit alone',
      'if (upload?.deposit !== deposit)',
      'security/foreign-ids',
    ],
  ],
  'core/service/append-upload.ts': [
    [
      'who sent bytes that another made a file of does not accept it',
      'await noteMaker(parts, request.caller, deposit)',
      'security/review-makers',
    ],
    ['bytes are appended where the last ended', 'if (offset !== piece.offset)', 'uploads/protocol'],
    [
      'a piece has the checksum that was given',
      'if ((digests[algorithm] ?? sha256) !== hex)',
      'uploads/extensions',
    ],
  ],
  'core/service/uploads.ts': [
    [
      'an upload is removed by its own deposit alone',
      'if (upload?.deposit !== deposit.id)',
      'security/foreign-ids',
    ],
  ],
  // To repositories of others
  'cli/commands/push.ts': [
    [
      'a record that was withdrawn here is not sent elsewhere',
      'await requireMayLeave(client, sent.deposit, { shown, publish })',
      'cli/push-record',
    ],
    [
      'what was withdrawn here is not sent elsewhere with a journal of its own',
      [
        'await requireFolderMayLeave(context, dir.path, { ...options, publish })',
        '[] as readonly string[]',
      ],
      'cli/push-edited-record',
    ],
    [
      'a pipeline that keeps no journal publishes no further record with each run',
      'requireKept(source, pushing, command)',
      'cli/advice',
    ],
  ],
  'core/actions/publish.ts': [
    [
      'files with access in another spelling are not published by the API',
      ['[...closing, ...stray].map', '[...closing].map'],
      'daemon/rehearsal',
    ],
  ],
  'cli/commands/publish.ts': [
    [
      'a draft with a field that may close its files is not published',
      'if (errors.length === 0) refuseStray(tried, deposit)',
      'cli/stray-access',
    ],
  ],
  'cli/commands/remote.ts': [
    ['the token of a remote is not that of another', 'if (twin !== undefined)', 'cli/advice'],
  ],
  'cli/check/check-document.ts': [
    [
      'files with access in another spelling are not published',
      '...strayIn(document).filter((found) => !isFound(found))',
      'cli/stray-access',
    ],
  ],
  'cli/remote/may-leave.ts': [
    [
      'the address of a record does not send the draft of an edit',
      ['return { deposit: record, remarks: [`Note', 'return { deposit, remarks: [`Note'],
      'cli/push-edited-record',
    ],
    [
      'an edit that is not published here is not published elsewhere',
      ['if (!publish)\n', 'if (true)\n'],
      'cli/push-edited-record',
    ],
    [
      'what has to be reviewed is not published elsewhere before',
      ['needs_review !== true', 'needs_review !== undefined'],
      'cli/push-before-review',
    ],
    [
      'what waits for review is not published elsewhere',
      ["deposit.review?.state === 'submitted'", 'false'],
      'cli/push-before-review',
    ],
  ],
  'cli/remote/source.ts': [
    [
      'an address of this machine is told to no repository elsewhere',
      ['hostname && !isOfThisNetwork(hostname)', 'true'],
      'cli/push-record',
    ],
    [
      'the metadata file of a folder is not sent as data beside another one',
      ['options.metadata !== undefined && metadataFiles', 'false && metadataFiles'],
      'cli/remote/metadata-of-folder',
    ],
  ],
  'cli/remote/port/guarded-lookup.ts': [
    [
      'a name that a repository elsewhere gives leads to no address of this network',
      ['isAnyAllowed ? found : found.filter((each) => !isLocal(each))', 'found'],
      'cli/remote/hostile-repository',
    ],
  ],
  'cli/remote/push-plan.ts': [
    [
      'data with access in another spelling are not published openly at a repository',
      '...told.filter((each) => !isKnown(each))',
      'cli/remote/closed-words',
    ],
  ],
  'cli/remote/pull.ts': [
    [
      'a record that was closed since it was pulled is not drafted as open',
      ['if (other.length === 0) return found', 'return found'],
      'cli/remote/pulled-again',
    ],
  ],
  'cli/remote/push.ts': [
    [
      'a draft that somebody opened there is closed before it is published',
      ['found !== undefined && isMoreOpen(translation, found)', 'false'],
      'cli/remote/closed-words',
    ],
    [
      'files that are closed there are not opened by a missing line',
      ['opens?.isSaid === false', 'false'],
      'cli/remote/closed-there',
    ],
  ],
}
