import type { Rows } from './guards.ts'

/** Guards without which others would see or change what they may not. */
export const leaks: Rows = {
  'core/deposit/permissions.ts': [
    ['a permission needs a token', "if (caller === 'anonymous')", 'spec/07-authentication'],
    ['a permission needs its scope', 'if (missing)', 'spec/07-authentication'],
    [
      'a token for one deposit reaches no other',
      'if (caller.onlyDeposit !== undefined && caller.onlyDeposit !== deposit?.id)',
      'security/tokens',
    ],
    [
      'a deposit that is not indexed is not read',
      'if (permission.needsIndex && deposit?.indexed === false)',
      'spec/07-authentication',
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
  'core/adapters/database/account-rows.ts': [
    [
      'the sign-ins of a user who is deleted are removed',
      "await entries.where('payload', 'like', `%\"${id}\"%`).execute()",
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
      'the audit trail names nobody by e-mail',
      ["text.replaceAll(/[^\\s@\"'<>/=]+@[^\\s@\"'<>/]+/g, '…')", 'text'],
      'security/audit',
    ],
  ],
  'core/access/review-rights.ts': [
    [
      'a role of review reads submitted drafts alone',
      "if (deposit?.review?.state !== 'submitted') return false",
      'spec/37-review',
    ],
  ],
  'core/actions/review.ts': [
    [
      'an acceptance names the revision that was looked at',
      'if (revision === undefined && !context.isRevisionExpected)',
      'spec/37-review',
    ],
    [
      'another revision than the one looked at is not accepted',
      'if (revision !== undefined && revision !== deposit.revision)',
      'spec/37-review',
    ],
    [
      'a draft of one’s own is accepted by others',
      "if (typeof caller !== 'string' && !mayAccept(caller, draft, review))",
      'spec/37-review',
    ],
  ],
  'core/actions/publish.ts': [
    [
      'what was not reviewed is not published where it has to be',
      "if (context.review === 'required')",
      'spec/37-review',
    ],
  ],
  'core/deposit/deposit.ts': [
    [
      'a draft does not change while it waits for reviewers',
      "if (review?.state === 'submitted')",
      'spec/37-review',
    ],
  ],
  'core/service/authorize.ts': [
    [
      'a request is refused before its body is read',
      'requirePermission(caller, permissionFor(parts, intent), deposit)',
      'spec/07-authentication',
      'spec/09-check-order',
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
      'files are read with the permission to read',
      'requirePermission(caller, parts.permissions.read, deposit)',
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
      'requireUnbound(context.caller)',
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
  'core/service/uploads.ts': [
    [
      'an upload is removed by its own deposit alone',
      'if (upload?.deposit !== deposit.id)',
      'security/foreign-ids',
    ],
    ['bytes are appended where the last ended', 'if (offset !== piece.offset)', 'uploads/protocol'],
    [
      'a piece has the checksum that was given',
      'if ((digests[algorithm] ?? sha256) !== hex)',
      'uploads/extensions',
    ],
  ],
  'daemon/sign-in/issuer/issuer-tokens.ts': [
    [
      'an access token is for this service',
      "if (entry.payload['aud'] !== resourceAt(origin()))",
      'security/set-clock',
    ],
    [
      'an access token of the future is refused',
      "if (isFromFuture(Number(entry.payload['iat'] ?? 0) * 1000, clock))",
      'security/set-clock',
    ],
    [
      'an access token ends',
      'if (!entry || entry.expires <= clock.forward())',
      'security/set-clock',
    ],
  ],
  'daemon/sign-in/identity/delegate.ts': [
    ['a token gives no scope that its maker lacks', 'if (missing)', 'security/tokens'],
  ],
  'daemon/sign-in/identity/download-links.ts': [
    [
      'a download link serves one version of one file',
      "if (found.payload['place'] !== nameOf(place))",
      'security/download-links',
    ],
    ['a download link serves once', 'if (!isFirst)', 'security/download-links'],
  ],
  'daemon/sign-in/configure-provider.ts': [
    [
      'a client of a disabled owner gets no token',
      'if (isForOwner && !(await accountOf(database, client)))',
      'security/tokens',
      'security/registered-clients',
    ],
  ],
  'daemon/sign-in/routes/issuer.ts': [
    [
      'another site begins no sign-in',
      'requireOwnBeginning(request)',
      'security/gate',
      'security/registered-clients',
    ],
    [
      'another site gets no answer for the clients of the pages',
      'if (isForeign && (client === undefined || client === pagesClientId))',
      'security/gate',
      'security/registered-clients',
    ],
    [
      'userinfo needs the scope `openid`',
      "if (!scopes?.has('openid') || !account)",
      'security/registered-clients',
    ],
  ],
  'daemon/sign-in/routes/device-pages.ts': [
    [
      'a device is approved or denied by the form of the service alone',
      "if (!(await tickets()).accepts(field('ticket'), code))",
      'security/device-page',
    ],
  ],
  'daemon/sign-in/routes/interaction-pages.ts': [
    [
      'a sign-in continues in the browser that began it',
      'if (found?.uid !== uid)',
      'security/issuer-offers',
    ],
  ],
  'daemon/sign-in/routes/ticket.ts': [
    ['a ticket of the command line must be good', 'if (user === undefined)', 'security/tickets'],
  ],
  'daemon/sign-in/external/token-checker.ts': [
    [
      'an external issuer has the name that is configured',
      'if (named !== issuer)',
      'security/external-issuer',
    ],
  ],
  'daemon/http/gate.ts': [
    [
      'requests for other hosts are refused',
      'requireOwnHost(request, reply, own)',
      'security/gate',
    ],
    ['pages are in no frame of other sites', 'refuseFrames(request)', 'security/gate'],
    [
      'another site sends only public requests',
      'if (!(await asksForPublic(request)))',
      'security/gate',
    ],
  ],
  'daemon/http/authenticate.ts': [
    [
      'a token in an address is refused',
      'if (/[?&]access_token=/.test(request.url))',
      'spec/07-authentication',
    ],
  ],
}
