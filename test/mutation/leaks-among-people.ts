import type { Rows } from './guards.ts'

/** Guards of what is shared, and of reviews: a leak where they are gone. */
export const leaksAmongPeople: Rows = {
  'core/service/strange-manifests.ts': [
    [
      'files that were destroyed for good are not kept for a manifest without a row',
      ['else if (await isDestroyed(compared.database, manifest))', 'else if (false)'],
      'operator/copied-home',
    ],
    [
      'files are not kept for a record whose manifests say that they were destroyed',
      'if (deposit.withdrawal?.bytesDestroyed)',
      'durability/published-elsewhere',
    ],
  ],
  'core/service/search.ts': [
    [
      'a list shows what may be read when it is sent',
      ['batches: readableOf(parts, caller, batches), ...bounds', 'batches, ...bounds'],
      'security/waiting-readers',
    ],
  ],
  'daemon/http/sharing.ts': [
    [
      'no cache keeps an answer past the day on which files open',
      ['Math.min(kept, keptSeconds)', 'keptSeconds'],
      'security/embargo-matrix',
    ],
  ],
  'daemon/http/audit.ts': [
    [
      'openings of a link are counted in one entry',
      ['isRefusal || what === openedLink', 'isRefusal'],
      'security/share-links',
    ],
  ],
  'daemon/pages/shared-page.ts': [
    [
      'a link is opened so often in a minute',
      ['await openings.begin(`${link.id} ${networkOf(request.ip)}`)', ''],
      'security/share-links',
    ],
  ],
  'core/service/people.ts': [
    [
      'holders of links do not see who has access',
      "if (typeof caller !== 'string' && caller.link)",
      'security/share-links',
    ],
  ],
  'daemon/operator/commands/user-departures.ts': [
    [
      'the identity of a disabled account does not sign in as another unasked',
      ['throw new OperatorFailure(what, advice.chooseIdentity())', 'return true'],
      'security/merged-identity',
    ],
  ],
  'daemon/api/admin.ts': [
    [
      'an administrator who disables somebody ends their sign-ins',
      'if (next.disabled)',
      'security/ended-sign-ins',
    ],
    [
      'a token that cannot act gives nobody a role of the service',
      'if (change.roles)',
      'security/admin',
    ],
  ],
  'daemon/sign-in/issuer/issuer-store.ts': [
    [
      'a sign-in that ended while it was renewed keeps no token',
      "if (entry.grant !== undefined && !(await issuer.find('Grant', toHash(entry.grant))))",
      'security/issuer-store',
    ],
  ],
  'core/service/deposits.ts': [
    [
      'a correction of a submitted draft opens files only where it says so',
      ["if (found.review?.state === 'submitted') requireOpeningSaid(found, { metadata }, now)", ''],
      'spec/37-access-of-files',
      'spec/37-review',
      'security/review-makers',
    ],
  ],
  'core/service/records.ts': [
    [
      'a correction of a record opens files only where it says so',
      ['requireOpeningSaid(latest, { metadata }, clock.now())', ''],
      'spec/37-access-of-files',
    ],
  ],
  'core/service/reviews.ts': [
    [
      'editors leave room for comments of owners and reviewers',
      ['isFirst ? mostComments : mostOfOthers', 'mostComments'],
      'security/review-makers',
    ],
    [
      'a comment has room in the quota of the one who writes it',
      [
        'await requireMetadataAllowed(parts, unit, caller, caller.user, Buffer.byteLength(text))',
        '',
      ],
      'spec/39-review-lists',
    ],
    [
      'comments tell no address that the owners do not know',
      ['account && isTold(account) ?', 'account ?'],
      'security/people',
    ],
  ],
  'core/service/run-action.ts': [
    [
      'a message to reviewers has room in the quota of the one who writes it',
      'if (action.countsMessage)',
      'spec/39-review-lists',
    ],
  ],
  'core/service/take-role.ts': [
    ['the last owner is not removed', 'if (owners.length === 0)', 'security/people'],
    [
      'a role that is taken is taken on drafts of next versions',
      ['deposit.record ? await unit.deposits.nextVersions(deposit.concept) : []', '[]'],
      'security/taken-roles',
    ],
    [
      'the drafts of other owners keep their people',
      "if (!isOwn && !hasRight(roleOf(caller, draft), 'manage'))",
      'security/taken-roles',
    ],
  ],
  'core/service/transfers.ts': [
    [
      'drafts of the next version go with the newest',
      ['if (newest?.id !== deposit.id) return saved', 'return saved'],
      'security/next-version-right',
    ],
    [
      'a deposit is taken over by the one it was offered to',
      'if (!offer || offer.to !== receiver.user || !found.owners.includes(offer.by))',
      'security/people',
    ],
  ],
  'core/service/shared-deposit.ts': [
    [
      'no refusal tells whether an address has an account',
      ['if (shared > 0 || (await', 'if (user !== undefined || (await'],
      'security/people',
    ],
    [
      'a receiver of a deposit has room for it',
      ['await requireLeft(parts, unit, { ...room, user: to }, bytes)', ''],
      'security/people',
    ],
  ],
  'core/service/share-links.ts': [
    [
      'a link that has ended is refused',
      'if (!isGood(link, clock.forward()))',
      'security/share-links',
    ],
    [
      'a link is good while its maker may make one',
      'if (!(await mayStillShare(parts, link)))',
      'security/share-links',
    ],
    [
      'a link of a user who is disabled is refused',
      'if (!account || account.disabled)',
      'security/share-links',
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
      "if (typeof caller !== 'string' && !mayAccept(caller, draft, review, draft.makers))",
      'spec/37-review',
    ],
    [
      'a draft that one has changed is accepted by others',
      ['review, draft.makers)', 'review)'],
      'security/review-makers',
    ],
  ],
  'core/service/change-deposit.ts': [
    [
      'who changed the files of a draft does not accept it',
      ["intent === 'update' ? madeBy(deposit, caller) : deposit", 'deposit'],
      'security/review-makers',
    ],
  ],
  'core/service/history.ts': [
    [
      'who changed the document of a draft does not accept it',
      ['change ? madeBy(after, caller) : after', 'after'],
      'security/review-makers',
    ],
  ],
  'core/service/hand-over.ts': [
    [
      'a merge gives no token or program more than it had',
      ["heir && keeps === 'sign-ins' && (await gainsBy(unit, account, heir))", 'false'],
      'operator/departures',
    ],
    [
      'a merge makes no token of a disabled account good again',
      ['account.disabled || !after', '!after'],
      'operator/departures',
    ],
    [
      'an account does not accept what another made that was merged into it',
      ['(user === from ? (to ?? []) : user)', 'user'],
      'security/review-makers',
    ],
    [
      'an account does not accept what another created that was merged into it',
      ['createdBy: createdBy === from ? to : createdBy', 'createdBy'],
      'security/review-makers',
    ],
    [
      'an account does not accept what another submitted that was merged into it',
      ['...(submittedBy === from && { submittedBy: to }),', ''],
      'security/review-makers',
    ],
  ],
  'daemon/sign-in/identity/share-links.ts': [
    [
      'who made a link does not accept what was changed by it',
      ["...(createdBy !== '' && { madeBy: createdBy })", ''],
      'security/review-makers',
    ],
  ],
  'core/adapters/database/comment-rows.ts': [
    [
      'steps of a review leave the room for comments',
      [".where('action', 'is', null)", ''],
      'security/review-makers',
    ],
    [
      'submitting again and again removes no word of a reviewer',
      [".orderBy(sql`case when action in ('submit', 'take-back') then 0 else 1 end`)", ''],
      'security/review-makers',
    ],
  ],
  'core/actions/new-version.ts': [
    [
      'the version that a draft is made of is shared with those who open it',
      'if (newest && !context.mayActOn(newest.deposit))',
      'security/next-version-right',
    ],
  ],
  'core/actions/publish.ts': [
    [
      'files are not published until a day that has come',
      ['...findPastDay(latest, metadata, now),', ''],
      'spec/37-access-of-files',
    ],
    [
      'publishing asks for the right on the newest version',
      ['before && requireRightOnNewest(draft, operation, context)', 'undefined'],
      'security/next-version-right',
    ],
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
  'cli/folder/withdrawn-version.ts': [
    [
      'a folder is not released after a withdrawal that nobody names',
      ['if (named !== undefined && nameOf(named) === nameOf(withdrawn.url))', 'if (true)'],
      'cli/release-withdrawn',
    ],
  ],
  'core/service/rehearse-publish.ts': [
    [
      'holders of links are not told what was withdrawn',
      "if (typeof caller !== 'string' && caller.link !== undefined)",
      'daemon/rehearsal',
    ],
  ],
  'cli/batch/run-row.ts': [
    [
      'a batch publishes no next version of what was withdrawn',
      ['if (withdrawn === undefined) return', 'return'],
      'cli/batch-bytes',
    ],
  ],
}
