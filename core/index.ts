/** The core as the daemon sees it. */
export {
  isGrantedRole,
  isRole,
  parseUserId,
  roles,
  rolesOf,
  type Account,
  type ExternalSubject,
  type GrantedRole,
  type Role,
  type TokenGrant,
  type Caller,
  type User,
  type UserId,
} from './access/caller.ts'
export type { ShareLink } from './access/links.ts'
export { personRoleOf, type PersonRole } from './access/rights.ts'
export { accessOf, filesAreOpen, filesRestricted, secondsUntilOpen } from './access/file-access.ts'
export {
  defaultPermissions,
  indexedWriteScopePermission,
  isAnyone,
  isEditor,
  isOwner,
  isReader,
  openToCurators,
  requirePermission,
  scopePermission,
  writeScopePermission,
  type AccessCheck,
  type Asker,
  type Permission,
  type Permissions,
} from './deposit/permissions.ts'
export { bringBack, withdrawRecord, type WithdrawalContext } from './actions/withdraw.ts'
export type { ActionContext, Actions, DepositAction } from './actions/action.ts'
export type { NewVersionInput } from './actions/new-version.ts'
export { actions } from './actions/registry.ts'
export { isScope, type Scope } from './contract/scopes.ts'
export { firstOwner, type Deposit } from './deposit/deposit.ts'
export {
  reservedOfDeposit,
  reservedOfRecord,
  toDepositDocument,
  toRecordDocument,
  type SchemaUrl,
  parseInTurn,
  storedText,
  textOfLong,
} from './deposit/document.ts'
export type { PatchForm } from './deposit/json-patch.ts'
export { requireDraft, requireNotSubmitted, requirePublished } from './deposit/deposit.ts'
export {
  areFilesAway,
  DepositError,
  InvalidAction,
  InvalidDocument,
  isProblem,
  PermissionDenied,
  problem,
  wrongField,
} from './errors/errors.ts'
export {
  DatabaseTooNew,
  DatabaseUnfit,
  type Finding,
  commitChannel,
  type Commit,
} from './ports/upkeep.ts'
export { FilesUnfit, type BlobStore, type ByteRange, type DownloadAs } from './ports/blob-store.ts'
export type {
  ServiceMark,
  StoreMarks,
  StoreUse,
  StoreUser,
  Whereabouts,
} from './ports/store-marks.ts'
export {
  findServiceId,
  giveServiceId,
  noteMarked,
  serviceId,
  wasMarked,
} from './service/service-id.ts'
export {
  newBlobId,
  parseBlobId,
  parseBucketId,
  parseVersionId,
  type BlobId,
  type BucketId,
  type DepositFile,
  type FileId,
  type FileKey,
  type FileVersion,
  type VersionId,
  parseFileKey,
  requestedKey,
  toFileKey,
} from './files/file.ts'
export { parseInPieces, parseJson } from './json/json-text.ts'
export { parsePointer, isJsonArray, isJsonObject, type Json, type JsonObject } from './base/json.ts'
export {
  depositPidType,
  parseDepositId,
  type DepositId,
  type PersistentIdentifier,
  type PidName,
} from './pid/deposit-pid.ts'
export { arkProvider, storedArk } from './identifiers/ark.ts'
export { dataciteProvider } from './identifiers/datacite.ts'
export { compareIdentifiers, mostFailures, type Compared } from './identifiers/compare.ts'
export { IdentifierWorker } from './identifiers/worker.ts'
export { isCitable, toFurther } from './identifiers/citable.ts'
export type { Teller } from './identifiers/wanted.ts'
export type { Difference, Outcome, Provider, Wanted } from './ports/provider.ts'
export type { Pause, ProvidedIdentifier, IdentifierStatus } from './ports/identifiers.ts'
export { mintedBy, recordMinters, type Minter, type RecordMinter } from './pid/record-minters.ts'
export { canonicalJson, sha256 } from './json/canonical.ts'
export type { RememberedAnswer } from './ports/answers.ts'
export { systemClock, type Clock } from './ports/clock.ts'
export type { Database, Readers, ReadRows, UnitOfWork } from './ports/database.ts'
export type { FileTotals } from './ports/files.ts'
export type { RecordChange } from './ports/records.ts'
export { sumOfUsage, type Usage } from './ports/uploads.ts'
export type { Client, ClientUse, IssuerEntry } from './ports/issuer.ts'
export type { PublishedRecord } from './record/record.ts'
export type { Withdrawal } from './record/withdrawal.ts'
export { doiOf } from './contract/foreign-values.ts'
export { createSchemaRegistry, narrowSchemas, type SchemaRegistry } from './schemas/registry.ts'
export { maxBuckets } from './search/results.ts'
export { maxListBytes } from './service/bounded-page.ts'
export {
  browseRecords,
  recordFacets,
  toQueryText,
  type Choice,
  type RecordFacet,
} from './service/browse.ts'
export { findUnknownFields } from './search/unknown-fields.ts'
export type { SearchRequest } from './search/request.ts'
export {
  depositSearch,
  parsePaging,
  parseSearchRequest,
  parseVersions,
  type SearchOptions,
  type SearchParameters,
} from './search/request.ts'
export { depositVisibility, type Visibility } from './search/visibility.ts'
export {
  authorize,
  authorizeCreate,
  authorizeRepeated,
  permissionFor,
  type ExpectedRevision,
  type Intent,
  findByBucket,
  shownTo,
} from './service/authorize.ts'
export type { Beside, Changed } from './service/change-deposit.ts'
export { createDeposits, type Deposits } from './service/deposits.ts'
export { createPeople, emailsOf, type KnownPerson, type People } from './service/people.ts'
export type { Transfer } from './service/transfers.ts'
export { createShareLinks, type ShareLinks } from './service/share-links.ts'
export {
  createBundles,
  type BundledFile,
  type Bundles,
  type StagedBundle,
} from './service/bundles.ts'
export {
  createFiles,
  findVersion,
  type FileRequest,
  type Files,
  type FoundVersion,
  type OpenedBucket,
} from './service/files.ts'
export {
  indexDeposit,
  indexPublished,
  indexRecord,
  unindexDeposit,
} from './service/change-deposit.ts'
export { createTrash, releaseTrash, type Trash } from './service/trash.ts'
export { listHistory, saveChange } from './service/history.ts'
export type { HistoryEntry, StoredChange } from './ports/history.ts'
export type { TrashedFile } from './ports/trash.ts'
export { loadDocuments, loadDocumentsById } from './service/load-documents.ts'
export type { Parts } from './service/parts.ts'
export { requireAnswerAllowed } from './service/answer-allowance.ts'
export {
  createAnnouncedFiles,
  requireNoneAnnounced,
  type AnnouncedFiles,
} from './service/announced-files.ts'
export { createMd5Sums, type Md5Sums } from './service/md5-sums.ts'
export type { PutFile } from './service/put-file.ts'
export {
  correctPermission,
  createRecords,
  type Correction,
  type Records,
} from './service/records.ts'
export { resourceTypes } from './contract/datacite.ts'
export { describe, toResourceType, type Source } from './describe/describe.ts'
export type { DescribedFile, Description, Exported, Organization } from './describe/description.ts'
export { rorOf, toIdentifier } from './describe/identifiers.ts'
export { mediaTypeOf } from './describe/media-types.ts'
export { cite, styleTitle } from './exports/citation.ts'
export { dataciteXml } from './exports/datacite-xml.ts'
export { dcatXml } from './exports/dcat.ts'
export { dublinCore } from './exports/dublin-core.ts'
export { ExportThread } from './exports/export-thread.ts'
export { filenameOf, type ExportFormat } from './exports/format.ts'
export { linksetType, toSignposts, type Signpost } from './exports/linkset.ts'
export { exportFormats } from './exports/registry.ts'
export { document as xmlDocument, element, optional, type Markup } from './exports/xml.ts'
export { markdownHtml } from './exports/markdown-html.ts'
export { toSchemaOrg } from './exports/schema-org.ts'
export { rdmTypes, toRdm, toRdmAccess } from './exports/rdm.ts'
export { toZenodo } from './exports/zenodo.ts'
export { packageTexts, type PackageTexts } from './exports/package-texts.ts'
export {
  packBag,
  packCrate,
  packDatapackage,
  packZip,
  type Package,
  type Packed,
} from './service/packages.ts'
export { costlyTurns, turnName } from './service/turns-of-users.ts'
export { rehearsePublish, type WithdrawnVersion } from './service/rehearse-publish.ts'
export { intentOf, rehearseAction, runAction } from './service/run-action.ts'
export { addComment, listComments, listSubmitted, type ToldComment } from './service/reviews.ts'
export { reviewRules, type Review, type ReviewRule } from './access/review-rights.ts'
export { searchDeposits, searchRecords, type Found } from './service/search.ts'
export { StagedBlob, type Incoming } from './service/put-file.ts'
export { oldestAnswer } from './service/kept-answers.ts'
export { sweep } from './service/sweep-uploads.ts'
export { QuotaClaims } from './service/quota-claims.ts'
export { Turns } from './base/turns.ts'
export { createUploads, type Uploads } from './service/uploads.ts'
export { lengthPassed, type FileInPieces, type Piece } from './files/upload.ts'
export { expiryOf, type UploadStatus } from './service/upload-status.ts'
export { lockLost, type SharedLock, type SharedLocks } from './ports/shared-locks.ts'
export {
  indexAfterPublish,
  Signals,
  type PostAction,
  type Receivers,
  type RecordUpdate,
} from './service/signals.ts'
export { countTerms, findTerm, findTerms } from './service/vocabularies.ts'
export { checkIntegrity, type CheckDepth } from './service/check-integrity.ts'
export { copyBlobs, copyManifests, findLeftBehind, type LeftBehind } from './service/copy-blobs.ts'
export { collectGarbage, removeForGood } from './service/collect-garbage.ts'
export type { Kept } from './service/collect-garbage.ts'
export { scrub } from './service/scrub.ts'
export { rebuild } from './service/rebuild.ts'
export {
  endUnfinished,
  findUnfinished,
  noteUnfinished,
  stateOf,
  unfinishedNote,
  type UnfinishedRows,
} from './service/unfinished-rows.ts'
export { manifestFiles, toManifest, writeManifests } from './service/write-manifests.ts'
export {
  parseManifest,
  toManifestText,
  type ManifestFile,
  type ManifestStore,
  type RecordManifest,
} from './ports/manifest-store.ts'
export type { SearchIndex } from './ports/search-index.ts'
export { accountable, actAs, type Act } from './service/accountability.ts'
export type { AuditEntry, KeptEntry } from './ports/audit.ts'
export { auditTrail } from './service/audit-trail.ts'
export {
  handOver,
  leaveMade,
  leaveShared,
  removeAccount,
  type Revoked,
} from './service/hand-over.ts'
