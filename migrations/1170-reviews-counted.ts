import { addColumn, type Schema } from './_helpers.ts'

/** How many reviews the number of comments of a pull request has. */
export async function countReviewsWithComments(schema: Schema): Promise<void> {
  await addColumn(schema, 'issue', { name: 'reviews_counted', type: 'number', initial: 0 })
}
