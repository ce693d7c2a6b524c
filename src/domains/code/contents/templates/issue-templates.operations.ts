import { Type } from '@sinclair/typebox'
import { ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Guards } from '../../../../core/module.ts'
import { IssueConfig, IssueConfigValidation, IssueTemplate } from '../contents.model.ts'
import { presentIssueConfig, presentIssueTemplate } from '../contents.present.ts'
import type { IssueTemplates } from './issue-templates.service.ts'

const PATH = '/repos/{owner}/{repo}'

interface IssueTemplateOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly issueTemplates: IssueTemplates
}

/**
 * Issue templates and settings of a repository (behaviour/base-interface#endpoints-named-in-later-revisions,
 * behaviour/repositories#issue-templates-and-config).
 */
export function issueTemplateOperations({ guards, issueTemplates }: IssueTemplateOperationDeps): Operation[] {
  const common = {
    method: 'GET',
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('read', { unit: 'repo.code' }),
    errors: [403, 404],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoGetIssueTemplates',
      path: `${PATH}/issue_templates`,
      aliases: ['/{owner}/{repo}/issue_templates'],
      summary: 'The valid issue templates of the default branch',
      responses: { 200: Type.Array(IssueTemplate) },
      async handler({ access: { repo }, rateLimitKey }) {
        const { templates, broken } = await issueTemplates.list(repo, rateLimitKey)
        return ok(
          templates.map(presentIssueTemplate),
          broken === 0 ? undefined : { 'x-gitea-warning': `error occurs when parsing issue template: count=${broken}` },
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetIssueConfig',
      path: `${PATH}/issue_config`,
      summary: 'The issue settings of the default branch',
      responses: { 200: IssueConfig },
      handler: async ({ access: { repo }, rateLimitKey }) =>
        ok(presentIssueConfig((await issueTemplates.config(repo, rateLimitKey)).config)),
    }),
    defineOperation({
      ...common,
      id: 'repoValidateIssueConfig',
      path: `${PATH}/issue_config/validate`,
      summary: 'Whether the issue settings of the default branch are valid',
      responses: { 200: IssueConfigValidation },
      async handler({ access: { repo }, rateLimitKey }) {
        const { problem } = await issueTemplates.config(repo, rateLimitKey)
        return ok({ valid: problem === '', message: problem })
      },
    }),
  ]
}
