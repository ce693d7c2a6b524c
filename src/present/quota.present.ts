import type { QuotaGroup as QuotaGroupModel, QuotaInfo, QuotaRuleInfo, QuotaUsedAttachment } from '../contract/models/quota.ts'
import type { QuotaGroup, QuotaOfOwner, QuotaRule, UsedAttachment } from '../domain/quota/index.ts'
import type { Site } from './site.ts'
import { repoUrls } from './repo-urls.ts'

/** What of a quota is for administrators: the names of rules and groups. */
interface Shown {
  readonly withNames: boolean
}

export function presentQuotaRule({ name, limit, subjects }: QuotaRule, { withNames }: Shown): QuotaRuleInfo {
  return { ...(withNames && { name }), limit, subjects: [...subjects] }
}

export function presentQuotaGroup({ name, rules }: QuotaGroup, shown: Shown): QuotaGroupModel {
  return { ...(shown.withNames && { name }), rules: rules.map((rule) => presentQuotaRule(rule, shown)) }
}

export function presentQuota({ usage, groups }: QuotaOfOwner, shown: Shown): QuotaInfo {
  return {
    used: {
      size: {
        repos: { public: usage.reposPublic, private: usage.reposPrivate },
        git: { LFS: usage.lfs },
        assets: { attachments: { issues: usage.issueAttachments, releases: usage.releaseAttachments }, artifacts: 0, packages: { all: 0 } },
      },
    },
    groups: groups.map((group) => presentQuotaGroup(group, shown)),
  }
}

export function presentUsedAttachment(file: UsedAttachment, ownerName: string, site: Site): QuotaUsedAttachment {
  const { api, html } = repoUrls({ fullName: `${ownerName}/${file.repoName}` }, site)
  const release = `${api}/releases/${file.releaseId}`
  return { name: file.name, size: file.size, api_url: `${release}/assets/${file.id}`, contained_in: { api_url: release, html_url: `${html}/releases/tag/${encodeURIComponent(file.tagName)}` } }
}
