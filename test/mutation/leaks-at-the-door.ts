import type { Rows } from './guards.ts'

/** Guards of sign-in, of the gate and of other services' interfaces without which others would get in. */
export const leaksAtTheDoor: Rows = {
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
    [
      'a download link ends with the token it was made with',
      'if (id !== undefined && !(await read.tokens.has(id)))',
      'security/download-links',
    ],
    [
      'a download link gives no role that was taken away',
      ['caller.roles.intersection(everyRoleOf(account))', 'caller.roles'],
      'security/download-links',
    ],
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
  'daemon/sign-in/identity/end-sign-ins.ts': [
    [
      'browsers that a ticket signed in end with all sign-ins',
      'await tokens.remove(token)',
      'security/tickets',
    ],
    [
      'the tokens of a sign-in that is ended alone are good no more',
      'await issuer.removeGrant(grant)',
      'security/ended-sign-ins',
    ],
  ],
  'daemon/api/sign-ins.ts': [
    [
      'a token that only reads ends no sign-in but its own',
      'if (!caller.scopes.has(writeScope) && signInOf(caller) !== id)',
      'security/ended-sign-ins',
    ],
  ],
  'daemon/sign-in/identity/passphrase-link.ts': [
    [
      'a new passphrase ends all sign-ins',
      'await endSignIns(unit, user)',
      'security/ended-sign-ins',
    ],
  ],
  'daemon/sign-in/routes/passphrase-pages.ts': [
    [
      'a passphrase is changed by who knows it',
      [
        'const account = await signIn(credentials)',
        'const account = await stores.database.read.accounts.findByEmail(email)',
      ],
      'security/ended-sign-ins',
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
  'daemon/foreign/shown.ts': [
    [
      'a list of other services reads no files',
      [
        "return shown === 'listed' ? versions.map(md5.known) : md5.ofAll(versions)",
        'return md5.ofAll(versions)',
      ],
      'foreign/foreign-limits',
    ],
  ],
  'daemon/foreign/zenodo/zenodo-routes.ts': [
    [
      'an answer to a token in an address is kept by no cache',
      'if (hasToken)',
      'foreign/foreign-limits',
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
  'daemon/operator/local-routes.ts': [
    [
      'a program of a copied home commands no daemon of the original',
      'if (lock !== undefined && lock !== (await fileIdentity(work.home.lock)))',
      'operator/running-copy',
    ],
  ],
  'daemon/http/authenticate.ts': [
    [
      'a request that has waited needs its token still',
      ['return setCaller(this, false)', 'return Promise.resolve()'],
      'security/waiting-readers',
    ],
    [
      'a token in an address is refused',
      'if (/[?&]access_token=/.test(request.url))',
      'spec/07-authentication',
    ],
    [
      'links of one user make no more changes than the user',
      ['`links of ${link.madeBy ?? onlyDeposit}`', 'user'],
      'security/rates',
    ],
  ],
}
