import type { AppendedEvent, EventKind, Projections } from '../../../core/events/index.ts'
import { accountTarget, type AuditFact, recorded, type AuditTarget, repoTarget, SITE } from './record.ts'
import type { Tx } from '../../../core/db/database.ts'
import { orgProjections, projectProjections, quotaProjections, repoProjections } from './orgs.projection.ts'

type Payload = { readonly user_id: number }
type OfUser = { [Kind in EventKind]: AppendedEvent<Kind>['payload'] extends Payload ? Kind : never }[EventKind]

/** An action on the account of the payload. */
const onUser = <Kind extends OfUser>(
  action: string,
  detailsOf: (payload: AppendedEvent<Kind>['payload']) => AuditFact['details'] = () => ({}),
) =>
  recorded<Kind>(async (tx, { payload }) => ({
    action,
    target: await accountTarget(tx, (payload as Payload).user_id),
    details: detailsOf(payload) ?? {},
  }))

/** Accounts, their sign-ins, and their credentials. */
const accountProjections: Projections = {
  'user.created': onUser<'user.created'>('user.created'),
  'user.renamed': onUser<'user.renamed'>('user.renamed', ({ old_name }) => ({ old_name })),
  'user.deleted': recorded(async (tx, { payload: { user_id: id, name } }) => ({
    action: 'user.deleted',
    target: await accountTarget(tx, id, name),
  })),
  'user.edited': recorded(async (tx, { principal, payload: { user_id: id, changed } }) =>
    principal.account.id === id
      ? []
      : { action: 'admin.user-edited', target: await accountTarget(tx, id), details: { changed } },
  ),
  'user.credentials_changed': onUser<'user.credentials_changed'>('password.changed'),
  'user.email_added': onUser<'user.email_added'>('email.added', ({ email }) => ({ email })),
  'user.email_deleted': onUser<'user.email_deleted'>('email.deleted', ({ email }) => ({ email })),
  'user.key_added': onUser<'user.key_added'>('key.added', ({ key_id, fingerprint }) => ({ key_id, fingerprint })),
  'user.key_deleted': onUser<'user.key_deleted'>('key.deleted', ({ key_id, fingerprint }) => ({ key_id, fingerprint })),
  'user.gpg_key_added': onUser<'user.gpg_key_added'>('gpg-key.added', ({ key_id }) => ({ key_id })),
  'user.gpg_key_deleted': onUser<'user.gpg_key_deleted'>('gpg-key.deleted', ({ key_id }) => ({ key_id })),
  'user.token_created': onUser<'user.token_created'>('token.created', ({ token_id, name, scopes }) => ({
    token_id,
    name,
    scopes,
  })),
  'user.token_deleted': onUser<'user.token_deleted'>('token.deleted', ({ token_id, name }) => ({ token_id, name })),
  'user.passkey_added': onUser<'user.passkey_added'>('passkey.added', ({ passkey_id, name }) => ({ passkey_id, name })),
  'user.passkey_deleted': onUser<'user.passkey_deleted'>('passkey.deleted', ({ passkey_id, name }) => ({
    passkey_id,
    name,
  })),
  'user.two_factor_enabled': onUser<'user.two_factor_enabled'>('two-factor.enabled'),
  'user.two_factor_disabled': onUser<'user.two_factor_disabled'>('two-factor.disabled'),
  'user.recovery_codes_renewed': onUser<'user.recovery_codes_renewed'>('two-factor.recovery-codes-renewed'),
  'user.signed_in': onUser<'user.signed_in'>('sign-in.succeeded', ({ second_factor }) => ({
    ...(second_factor !== undefined && { second_factor }),
  })),
  'user.sign_in_failed': recorded(async (tx, { payload: { user_id: id, attempts } }) => ({
    action: 'sign-in.failed',
    outcome: 'failed',
    target: await accountTarget(tx, id),
    details: { attempts },
  })),
  'user.sudo_used': onUser<'user.sudo_used'>('sudo.used', ({ operation }) => ({ operation })),
}

type Kind = `${'secret' | 'variable'}.${'created' | 'deleted' | 'edited'}`

/** An action on the repository or the account that owns the secret or variable. */
const onNamed = <K extends Kind>(action: string) =>
  recorded<K>(async (tx, { payload }) => {
    const { repo_id, owner_id, name } = payload as AppendedEvent<'secret.created'>['payload']
    const oldName = (payload as { readonly old_name?: string }).old_name ?? name
    return {
      action,
      target: repo_id > 0 ? await repoTarget(tx, repo_id) : await accountTarget(tx, owner_id),
      details: { name, ...(oldName !== name && { old_name: oldName }) },
    }
  })

type RunnerKind = `runner.${'deleted' | 'disabled' | 'enabled' | 'registered'}`

/** An action on the repository, the account or the site that owns the runner. */
const onRunner = <K extends RunnerKind>(action: string) =>
  recorded<K>(async (tx, { payload }) => {
    const { repo_id, owner_id, runner_id, name } = payload as AppendedEvent<'runner.deleted'>['payload']
    return { action, target: await levelTarget(tx, repo_id, owner_id), details: { runner_id, name } }
  })

async function levelTarget(tx: Tx, repoId: number, ownerId: number): Promise<AuditTarget> {
  if (repoId > 0) return repoTarget(tx, repoId)
  return ownerId > 0 ? accountTarget(tx, ownerId) : SITE
}

/** Records approvals of runs of other people's code, and deletions of runs. */
const onRun = <K extends `action_run.${'approved' | 'deleted'}`>(action: string) =>
  recorded<K>(async (tx, { payload }) => {
    const { repo_id, run_id, number, workflow } = payload as AppendedEvent<'action_run.deleted'>['payload']
    return { action, target: await repoTarget(tx, repo_id), details: { run_id, number, workflow } }
  })

const onWorkflow = <K extends `action_workflow.${'disabled' | 'enabled'}`>(action: string) =>
  recorded<K>(async (tx, { payload }) => {
    const { repo_id, workflow } = payload as AppendedEvent<'action_workflow.disabled'>['payload']
    return { action, target: await repoTarget(tx, repo_id), details: { workflow } }
  })

const onUpstream = <K extends `package_upstream.${'deleted' | 'saved'}`>(action: string) =>
  recorded<K>(async (tx, { payload }) => {
    const { owner_id: id, ...details } = payload as AppendedEvent<'package_upstream.deleted'>['payload']
    return { action, target: await accountTarget(tx, id), details }
  })

/** Packages, runners, runs, workflows, and the names of secrets and variables of Actions; values are never recorded. */
const actionsProjections: Projections = {
  'action_run.approved': onRun<'action_run.approved'>('run.approved'),
  'action_run.deleted': onRun<'action_run.deleted'>('run.deleted'),
  'action_workflow.disabled': onWorkflow<'action_workflow.disabled'>('workflow.disabled'),
  'action_workflow.enabled': onWorkflow<'action_workflow.enabled'>('workflow.enabled'),
  'package.deleted': recorded(async (tx, { payload: { owner_id, type, name, version } }) => ({
    action: 'package.deleted',
    target: await accountTarget(tx, owner_id),
    details: { type, name, ...(version !== '' && { version }) },
  })),
  'package_upstream.deleted': onUpstream<'package_upstream.deleted'>('package-upstream.deleted'),
  'package_upstream.saved': onUpstream<'package_upstream.saved'>('package-upstream.saved'),
  'runner.deleted': onRunner<'runner.deleted'>('runner.deleted'),
  'runner.disabled': onRunner<'runner.disabled'>('runner.disabled'),
  'runner.enabled': onRunner<'runner.enabled'>('runner.enabled'),
  'runner.registered': onRunner<'runner.registered'>('runner.registered'),
  'secret.created': onNamed<'secret.created'>('secret.created'),
  'secret.deleted': onNamed<'secret.deleted'>('secret.deleted'),
  'secret.edited': onNamed<'secret.edited'>('secret.changed'),
  'variable.created': onNamed<'variable.created'>('variable.created'),
  'variable.deleted': onNamed<'variable.deleted'>('variable.deleted'),
  'variable.edited': onNamed<'variable.edited'>('variable.changed'),
}

const onBadges = <Kind extends 'admin.badges_given' | 'admin.badges_taken'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, slugs } = payload as AppendedEvent<'admin.badges_given'>['payload']
    return { action, target: await accountTarget(tx, id), details: { badges: slugs } }
  })

/** Actions of site administrators. */
const adminProjections: Projections = {
  'admin.badge_created': recorded(async (_, { payload: { slug } }) => ({
    action: 'admin.badge-created',
    target: SITE,
    details: { badge: slug },
  })),
  'admin.badge_deleted': recorded(async (_, { payload: { slug } }) => ({
    action: 'admin.badge-deleted',
    target: SITE,
    details: { badge: slug },
  })),
  'admin.badges_given': onBadges<'admin.badges_given'>('admin.badges-given'),
  'admin.badges_taken': onBadges<'admin.badges_taken'>('admin.badges-taken'),
  'admin.key_rotated': recorded(async (_, { payload: { key_id } }) => ({
    action: 'admin.key-rotated',
    target: SITE,
    details: { key_id },
  })),
  'admin.repo_adopted': recorded(async (tx, { payload: { repo_id: id } }) => ({
    action: 'admin.repository-adopted',
    target: await repoTarget(tx, id),
  })),
  'admin.task_run': recorded(async (_, { payload: { task } }) => ({
    action: 'admin.task-run',
    target: SITE,
    details: { task },
  })),
  'admin.unadopted_deleted': recorded(async (tx, { payload: { owner_id: ownerId, name } }) => ({
    action: 'admin.unadopted-deleted',
    target: await accountTarget(tx, ownerId),
    details: { name },
  })),
}

type SourceKind = `sign_in_source.${'created' | 'deleted' | 'edited' | 'synchronized'}`

const onSource = <Kind extends SourceKind>(action: string) =>
  recorded<Kind>(async (_, { payload }) => {
    const { source_id, kind, name, ...rest } = payload as AppendedEvent<'sign_in_source.created'>['payload']
    return { action, target: SITE, details: { source_id, kind, name, ...rest } }
  })

const onIdentity = <Kind extends `external_identity.${'linked' | 'unlinked'}`>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, ...details } = payload as AppendedEvent<'external_identity.linked'>['payload']
    return { action, target: await accountTarget(tx, id), details }
  })

/** Sign-in sources and identities of users at them; the values of settings are never recorded. */
const sourceProjections: Projections = {
  'external_identity.linked': onIdentity<'external_identity.linked'>('identity.linked'),
  'external_identity.unlinked': onIdentity<'external_identity.unlinked'>('identity.unlinked'),
  'sign_in_source.created': onSource<'sign_in_source.created'>('sign-in-source.created'),
  'sign_in_source.edited': onSource<'sign_in_source.edited'>('sign-in-source.changed'),
  'sign_in_source.synchronized': onSource<'sign_in_source.synchronized'>('sign-in-source.synchronized'),
  'sign_in_source.deleted': onSource<'sign_in_source.deleted'>('sign-in-source.deleted'),
}

const onApplication = <Kind extends `oauth.application_${'created' | 'deleted' | 'edited'}`>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, ...of } = payload as AppendedEvent<'oauth.application_created'>['payload']
    return {
      action,
      target: await accountTarget(tx, id),
      details: { application_id: of.application_id, application: of.name },
    }
  })

const onGrant = <Kind extends 'oauth.grant_given' | 'oauth.grant_revoked'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, ...of } = payload as AppendedEvent<'oauth.grant_given'>['payload']
    return {
      action,
      target: await accountTarget(tx, id),
      details: { application_id: of.application_id, application: of.name, scope: of.scope },
    }
  })

/** OAuth2 applications and grants of users. */
const oauthProjections: Projections = {
  'oauth.application_created': onApplication<'oauth.application_created'>('oauth-application.created'),
  'oauth.application_edited': onApplication<'oauth.application_edited'>('oauth-application.changed'),
  'oauth.application_deleted': onApplication<'oauth.application_deleted'>('oauth-application.deleted'),
  'oauth.grant_given': onGrant<'oauth.grant_given'>('oauth-grant.given'),
  'oauth.grant_revoked': onGrant<'oauth.grant_revoked'>('oauth-grant.revoked'),
}

/** The events that the audit log records, in the transaction of the change. */
export const auditProjections: Projections = {
  ...accountProjections,
  ...actionsProjections,
  ...adminProjections,
  ...oauthProjections,
  ...orgProjections,
  ...projectProjections,
  ...quotaProjections,
  ...repoProjections,
  ...sourceProjections,
}
