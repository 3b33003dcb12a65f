/** The methods of RFC 9110 §9 and of RFC 5789, except CONNECT, for which Node has an event of its own. */
export const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
] as const;
