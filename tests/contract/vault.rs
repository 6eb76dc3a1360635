//! The vault's contract.

use openreply_aws::{AesVault, SealingKey};
use openreply_testkit::contract::vault::Vaults;
use openreply_testkit::memory::MemoryVault;
use openreply_testkit::vault_contract;

mod in_memory {
    use super::{MemoryVault, Vaults, vault_contract};

    async fn make() -> Option<Vaults<MemoryVault>> {
        Some(Vaults { one: MemoryVault::new("one"), other: MemoryVault::new("other") })
    }

    vault_contract! { make }
}

mod with_aes {
    use super::{AesVault, SealingKey, Vaults, vault_contract};

    async fn make() -> Option<Vaults<AesVault>> {
        let vault = || AesVault::new(&SealingKey::generate());
        Some(Vaults { one: vault(), other: vault() })
    }

    vault_contract! { make }
}
