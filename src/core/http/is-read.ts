/** Whether requests of this method only read and have no body. */
export const isRead = ({ method }: { readonly method: string }): boolean => method === 'GET' || method === 'HEAD'
