"""A volume driver without storage: whatever is asked of it has been done."""
from cinder.volume import driver

_POOL = {
    "pool_name": "pool", "total_capacity_gb": 1_000_000, "free_capacity_gb": 900_000, "provisioned_capacity_gb": 0,
    "reserved_percentage": 0, "max_over_subscription_ratio": 20.0, "thin_provisioning_support": True,
    "multiattach": True, "QoS_support": False,
}


class FakeVolumeDriver(driver.VolumeDriver):
    VERSION = "1"

    def get_volume_stats(self, refresh=False):
        return {"volume_backend_name": self.configuration.volume_backend_name, "vendor_name": "kupenstack",
                "driver_version": self.VERSION, "storage_protocol": "fake", "pools": [_POOL]}

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        """Says that the volume now holds the image: cinder would else download it and convert it with qemu-img."""
        return {}, True

    def retype(self, context, volume, new_type, diff, host):
        return True, None

    def initialize_connection(self, volume, connector, **_):
        return {"driver_volume_type": "fake", "data": {"volume_id": volume.id, "access_mode": "rw"}}

    def _succeed(self, *_, **__):
        return None

    do_setup = check_for_setup_error = _succeed
    create_volume = create_volume_from_snapshot = create_cloned_volume = copy_image_to_volume = _succeed
    delete_volume = extend_volume = _succeed
    create_snapshot = delete_snapshot = revert_to_snapshot = _succeed
    create_export = ensure_export = remove_export = terminate_connection = _succeed
