//! Pagination of long lists: a hundred entries per page, five pages in parallel.

use std::future::Future;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::capability::UpstreamError;

/// The number of entries per request.
pub(crate) const BATCH: usize = 100;
/// The number of pages that are fetched in parallel.
const PARALLEL_PAGES: usize = 5;

/// Fetches a whole list page by page: the first page, then five in parallel until one is not full. `ask` receives the
/// offset of a page.
///
/// # Errors
/// The error of a page; [`UpstreamError::InvalidResponse`] for a page that is larger than requested, or more than
/// `all_max` entries.
pub(crate) async fn fetch_all_pages<A, F>(
    page: usize,
    all_max: usize,
    ask: impl Fn(usize) -> F,
) -> Result<Vec<A>, UpstreamError>
where
    F: Future<Output = Result<Vec<A>, UpstreamError>>,
{
    let mut all = Vec::new();
    let mut begin = 0;
    loop {
        let width = if begin == 0 { 1 } else { PARALLEL_PAGES };
        let begins: Vec<usize> = (0..width).map(|index| begin + index * page).collect();
        begin += width * page;
        let pages: Vec<Vec<A>> = stream::iter(begins).map(&ask).buffered(PARALLEL_PAGES).try_collect().await?;
        let is_last = pages.iter().any(|found| found.len() < page);
        for found in pages {
            if found.len() > page {
                return Err(UpstreamError::invalid_response(&format!("a page of {page} has {} entries", found.len())));
            }
            all.extend(found);
        }
        if all.len() > all_max {
            return Err(UpstreamError::invalid_response(&format!("it lists more than {all_max}")));
        }
        if is_last {
            return Ok(all);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_list_is_fetched_completely_and_in_order() {
        for length in [0, 1, 9, 10, 11, 59, 60, 61, 200] {
            let asked = AtomicUsize::new(0);
            let all: Vec<usize> = (0..length).collect();
            let found = fetch_all_pages(10, 1_000, |begin| {
                asked.fetch_add(1, Ordering::Relaxed);
                let part = all.iter().copied().skip(begin).take(10).collect::<Vec<_>>();
                async move { Ok(part) }
            });
            assert_eq!(found.await, Ok(all.clone()), "{length}");
            assert!(asked.into_inner() <= length / 10 + 6);
        }
    }

    #[tokio::test]
    async fn an_endless_list_is_refused() {
        let endless = fetch_all_pages(10, 100, |_| async { Ok(vec![0; 10]) }).await;
        assert_eq!(endless, Err(UpstreamError::invalid_response("it lists more than 100")));
        let crowded = fetch_all_pages(10, 100, |_| async { Ok(vec![0; 11]) }).await;
        assert_eq!(crowded, Err(UpstreamError::invalid_response("a page of 10 has 11 entries")));
    }
}
