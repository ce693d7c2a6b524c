import type { Static } from '@sinclair/typebox'
import type { IssueConfig } from './issue-config.policy.ts'
import type { IssueConfig as IssueConfigModel, IssueTemplate as IssueTemplateModel } from './issue-template.model.ts'
import type { IssueTemplate } from './issue-files.task.ts'

export function presentIssueTemplate({
  path,
  name,
  about,
  title,
  labels,
  assignees,
  ref,
  content,
  fields,
}: IssueTemplate): IssueTemplateModel {
  return {
    name,
    title,
    about,
    labels: labels && [...labels],
    assignees: assignees && [...assignees],
    ref,
    content,
    body:
      fields && fields.map((field) => ({ ...field, attributes: { ...field.attributes }, visible: [...field.visible] })),
    file_name: path,
  }
}

export function presentIssueConfig({ blankIssues, contactLinks }: IssueConfig): Static<typeof IssueConfigModel> {
  return { blank_issues_enabled: blankIssues, contact_links: [...contactLinks] }
}
