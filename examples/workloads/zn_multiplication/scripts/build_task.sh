#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Write the six executables that the harness looks for: each is a stage of stages.py. PYTHON names an
# interpreter with nttforge.
set -e
cd "$(dirname "$0")/../submission"
mkdir -p target/release
for stage in client_preprocess_input client_key_generation client_encode_encrypt_input \
             server_encrypted_compute client_decrypt_decode client_postprocess; do
  printf '#!/bin/sh\nexec %s "%s/stages.py" %s "$@"\n' "${PYTHON:-python3}" "$PWD" "$stage" \
    > "target/release/$stage"
  chmod +x "target/release/$stage"
done
