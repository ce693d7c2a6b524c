import {
  type App,
  type AppOverrides,
  type CoreApp,
  createApp as createAppOf,
  createCore as createCoreOf,
} from './app/create-app.ts'
import type { Config } from './config/index.ts'
import type { Subject } from './subjects/subject.ts'

export type { App, AppOverrides, CoreApp }

/** Every subject, one line each, in order: a later one may use the services and guards of earlier ones. */
const LOADERS: readonly (() => Promise<{ readonly subject: Subject }>)[] = [
  () => import('./subjects/kept-answers/kept-answers.subject.ts'),
  () => import('./subjects/users/users.subject.ts'),
  () => import('./subjects/orgs/orgs.subject.ts'),
  () => import('./subjects/keys/keys.subject.ts'),
  () => import('./subjects/quota/quota.subject.ts'),
  () => import('./subjects/sign-in/sign-in.subject.ts'),
  () => import('./subjects/oauth/oauth.subject.ts'),
  () => import('./subjects/signing/signing.subject.ts'),
  () => import('./subjects/markup/markup.subject.ts'),
  () => import('./subjects/templates/templates.subject.ts'),
  () => import('./subjects/repos/repos.subject.ts'),
  () => import('./subjects/topics/topics.subject.ts'),
  () => import('./subjects/social/social.subject.ts'),
  () => import('./subjects/collaborators/collaborators.subject.ts'),
  () => import('./subjects/transfers/transfers.subject.ts'),
  () => import('./subjects/repo-access/repo-access.subject.ts'),
  () => import('./subjects/avatars/avatars.subject.ts'),
  () => import('./subjects/lfs/lfs.subject.ts'),
  () => import('./subjects/protections/protections.subject.ts'),
  () => import('./subjects/languages/languages.subject.ts'),
  () => import('./subjects/verification/verification.subject.ts'),
  () => import('./subjects/pushes/pushes.subject.ts'),
  () => import('./subjects/history/history.subject.ts'),
  () => import('./subjects/contents/contents.subject.ts'),
  () => import('./subjects/archives/archives.subject.ts'),
  () => import('./subjects/attachments/attachments.subject.ts'),
  () => import('./subjects/refs/refs.subject.ts'),
  () => import('./subjects/releases/releases.subject.ts'),
  () => import('./subjects/statuses/statuses.subject.ts'),
  () => import('./subjects/actions/actions.subject.ts'),
  () => import('./subjects/labels/labels.subject.ts'),
  () => import('./subjects/milestones/milestones.subject.ts'),
  () => import('./subjects/issues/issues.subject.ts'),
  () => import('./subjects/reactions/reactions.subject.ts'),
  () => import('./subjects/times/times.subject.ts'),
  () => import('./subjects/references/references.subject.ts'),
  () => import('./subjects/pulls/pulls.subject.ts'),
  () => import('./subjects/pull-diffs/pull-diffs.subject.ts'),
  () => import('./subjects/reviews/reviews.subject.ts'),
  () => import('./subjects/merges/merges.subject.ts'),
  () => import('./subjects/merge-queue/merge-queue.subject.ts'),
  () => import('./subjects/suggestions/suggestions.subject.ts'),
  () => import('./subjects/issue-activities/issue-activities.subject.ts'),
  () => import('./subjects/streams/streams.subject.ts'),
  () => import('./subjects/notifications/notifications.subject.ts'),
  () => import('./subjects/wiki/wiki.subject.ts'),
  () => import('./subjects/packages/packages.subject.ts'),
  () => import('./subjects/hooks/hooks.subject.ts'),
  () => import('./subjects/repo-events/repo-events.subject.ts'),
  () => import('./subjects/secrets/secrets.subject.ts'),
  () => import('./subjects/variables/variables.subject.ts'),
  () => import('./subjects/forks/forks.subject.ts'),
  () => import('./subjects/mirrors/mirrors.subject.ts'),
  () => import('./subjects/imports/imports.subject.ts'),
  () => import('./subjects/backups/backups.subject.ts'),
  () => import('./subjects/admin/admin.subject.ts'),
  () => import('./subjects/instance/instance.subject.ts'),
  () => import('./subjects/nodes/nodes.subject.ts'),
  () => import('./subjects/audit/audit.subject.ts'),
  () => import('./subjects/upkeep/upkeep.subject.ts'),
  () => import('./subjects/git-http/git-http.subject.ts'),
  () => import('./subjects/git-ssh/git-ssh.subject.ts'),
  () => import('./subjects/pages/pages.subject.ts'),
]

// NOTE: one after the other: loaded at once, each would walk the modules that all of them share, which costs 0.2 s.
const subjects: Subject[] = []
for (const load of LOADERS) subjects.push((await load()).subject)

const SUBJECTS: readonly Subject[] = subjects

/** The product without a server: what commands work on. */
export const createCore = (config: Config, overrides?: AppOverrides): Promise<CoreApp> =>
  createCoreOf(config, SUBJECTS, overrides)

/** The whole server, not yet listening. */
export const createApp = (config: Config, overrides?: AppOverrides): Promise<App> =>
  createAppOf(config, SUBJECTS, overrides)
